import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import {
  finished,
  type Program,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { bannerOf, getFromSite, settings, start, startAlone } from './support.ts';

// Each has a folder and ports of its own, and waits for its programs most of the while.
describe('npm start', { concurrency: 2 }, () => {
  test('npm start serves the API, the dashboard and the site of the API, and finds all again after a restart', async (t) => {
    const folder = await temporaryFolder(t);
    const first = await start(t, folder);
    const { api, docs, dashboard } = await bannerOf(first);
    const curl = /curl .*/.exec(first.output.stdout)?.[0] ?? '';
    const headers = { authorization: `Bearer ${/pk_live_\w{38}/.exec(curl)?.[0]}` };
    const created = await fetch(/\S+$/.exec(curl)?.[0] ?? '', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: /-d '([^']+)'/.exec(curl)?.[1] ?? '',
    });
    assert.equal(created.status, 201, 'the line to try works as printed');
    assert.equal(created.headers.get('access-control-allow-origin'), null);
    const pet = await created.text();

    const page = await getFromSite(docs);
    assert.equal(page.status, 200);
    assert.match(page.text, /Petstore/);
    const document = await getFromSite(`${docs}/openapi.json`);
    assert.match(document.text, /9223372036854775807/, 'the document kept every digit');
    const fromSite = await fetch(`${api}/pets`, { headers: { ...headers, origin: docs } });
    assert.equal(
      fromSite.headers.get('access-control-allow-origin'),
      docs,
      'the panel may call the API',
    );

    assert.equal(
      await signIn(dashboard, signInOf(first)),
      200,
      'the first sign-in works as printed',
    );
    // And is kept nowhere, once the banner has been written.
    await timeUntil(async () => !existsSync(join(folder, 'first-start.json')));

    const env = {
      ...(await settings(folder)),
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    };
    const { email } = signInOf(first);
    const make = ['tokens', 'create', '--email', String(email), '--name', 'terminal', '--json'];
    const { token } = JSON.parse((await runProgram('dashboard', make, ROOT, env)).stdout);
    const command = (/DASHBOARD_URL=.*/.exec(first.output.stdout)?.[0] ?? '')
      .replace('dash_…', token)
      .replace('PROJECT', 'petstore')
      .replace('openapi.yaml', 'docs/openapi.json');
    const deployed = await runProgram('sh', ['-c', command], ROOT, env);
    assert.match(deployed.stdout, /^Live: /, 'the line to deploy works as printed');
    const redeployed = await getFromSite(docs);
    assert.equal(redeployed.status, 200);

    first.child.kill('SIGTERM');
    await finished(first);
    for (const origin of [new URL(api).origin, dashboard]) {
      await assert.rejects(fetch(`${origin}/livez`), 'it went with npm');
    }
    await assert.rejects(getFromSite(docs));

    const second = await start(t, folder);
    const again = await bannerOf(second);
    assert.equal(await (await fetch(`${again.api}/pets`, { headers })).text(), `[${pet}]`);
    assert.equal((await getFromSite(again.docs)).text, redeployed.text);
    assert.doesNotMatch(second.output.stdout, /pk_live_|password/);
    second.child.kill('SIGINT');
    await finished(second);
  });

  test('npm start that is interrupted before its banner goes on the next time, and loses nothing', async (t) => {
    const folder = await temporaryFolder(t);
    const first = await start(t, folder);
    const kept = join(folder, 'first-start.json');
    while (!existsSync(kept)) {
      assert.equal(first.child.exitCode, null, first.output.stderr);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal((await stat(kept)).mode & 0o777, 0o600);
    first.child.kill('SIGINT');
    await finished(first);
    assert.doesNotMatch(first.output.stdout, /Try it/);

    const second = await start(t, folder);
    const { docs, dashboard } = await bannerOf(second);
    assert.match(second.output.stdout, /API key +pk_live_/);
    assert.equal(await signIn(dashboard, signInOf(second)), 200);
    assert.equal(
      (await getFromSite(docs)).status,
      200,
      'the site is there when the banner says so',
    );
    await timeUntil(async () => !existsSync(kept));
    second.child.kill('SIGTERM');
    await finished(second);
  });

  test('a start that was killed before its banner shows the sign-in and the key the next time; both services end when it is killed and can stop neither', async (t) => {
    const folder = await temporaryFolder(t);
    const made = { email: 'owner@localhost', password: 'made by the first start' };
    await writeFile(join(folder, 'first-start.json'), JSON.stringify(made));
    const create = ['users', 'create', '--email', made.email, '--password-stdin'];
    const creation = startProgram(t, join(ROOT, 'node_modules/.bin/dashboard'), create, folder, {
      DASHBOARD_DATA_DIR: folder,
    });
    creation.child.stdin?.end(made.password);
    assert.equal((await finished(creation)).code, 0);

    const next = await startAlone(t, folder);
    const { api, docs, dashboard } = await bannerOf(next);
    assert.match(next.output.stdout, /Sign in +owner@localhost +password made by the first start/);
    assert.match(next.output.stdout, /API key +pk_live_/);
    assert.equal(await signIn(dashboard, made), 200);
    assert.equal((await getFromSite(docs)).status, 200);

    // Its standard error is the services', too: closed when all three are gone.
    const gone = once(next.child, 'close', { signal: AbortSignal.timeout(120_000) });
    next.child.kill('SIGKILL');
    await gone;
    for (const origin of [new URL(api).origin, dashboard])
      await assert.rejects(fetch(`${origin}/livez`), `${origin} is gone`);
  });

  test('npm start ends with a sentence when a port is taken, and leaves nothing running', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    cleanUp(t, () => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const program = await start(t, await temporaryFolder(t), { DASHBOARD_PORT: `${port}` });
    // Closed when nothing that it started has its standard error any more.
    const { code, stderr, stdout } = await finished(program);
    assert.notEqual(code, 0);
    assert.ok(stderr.includes(`Port ${port} on 127.0.0.1 is in use`), stderr);
    assert.doesNotMatch(stdout, /Try it/);
  });

  function signInOf({ output }: Program) {
    const [, email, password] = /Sign in +(\S+) +password (\S+)/.exec(output.stdout) ?? [];
    return { email, password };
  }

  async function signIn(dashboard: string, credentials: object): Promise<number> {
    const { status } = await fetch(`${dashboard}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    return status;
  }
});
