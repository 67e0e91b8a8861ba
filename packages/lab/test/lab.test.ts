import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  finished,
  type Program,
  runProgram,
  startProgram,
} from '@petstore/test-support/program.ts';
import { ROOT } from '@petstore/test-support/root.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';

const NAME = 'docs.example.localhost';
/** A site that another host serves. */
const LIVE = 'live.example.localhost';

test('npm run lab walks from a wrong record to a site over HTTPS, and leaves nothing behind', async (t) => {
  const folder = await temporaryFolder(t);
  const lab = startProgram(t, 'npm', ['run', 'lab', '--', '--free-ports'], ROOT, {
    TMPDIR: folder,
  });
  const { page, dashboard, email, password, root, curl } = await bannerOf(lab);
  const call = await signIn(dashboard, { email, password });
  const domains = '/api/projects/petstore/domains';

  const early = await command(page, 'set', NAME, 'no-record');
  assert.equal(early.code, 1);
  assert.match(early.stderr, /Add it in the dashboard first/);

  const unknown = await command(page, 'nonsense');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /There is no command nonsense; there are: set, scenarios, /);

  await call('POST', domains, { hostname: NAME });
  await call('POST', '/api/projects/petstore/webhooks', { url: 'http://127.0.0.1:8099/' });
  const set = await command(page, 'set', NAME, 'conflict-a');
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /conflicting_record/);
  const wrong = await call('POST', `${domains}/${NAME}/verify`);
  assert.equal(wrong.verdict.code, 'conflicting_record');
  assert.match(
    (await command(page, 'domains')).stdout,
    /unverified +conflicting_record +conflict-a/,
  );

  const shown = await (await fetch(page)).text();
  assert.match(shown, /An A record in the place of the CNAME/);
  const foreign = await fetch(`${page}/scenario`, {
    method: 'POST',
    headers: { origin: 'http://elsewhere.test' },
    body: new URLSearchParams({ hostname: NAME, scenario: 'right' }),
  });
  assert.equal(foreign.status, 403, 'no other page changes the lab');

  const until = async (isSo: (domain: DomainAnswer) => boolean, name = NAME) => {
    const deadline = Date.now() + 60_000;
    for (;;) {
      const domain = await call('GET', `${domains}/${name}`);
      if (isSo(domain) || Date.now() > deadline) return domain;
      await sleep(100);
    }
  };
  assert.equal((await command(page, 'set', NAME, 'authority-fails')).code, 0);
  assert.equal((await call('POST', `${domains}/${NAME}/verify`)).verdict.code, 'verified');
  const failed = await until(({ issuance }) => !!issuance?.problem);
  assert.match(failed.issuance?.problem?.explanation ?? '', /could not/);

  assert.equal((await command(page, 'set', NAME, 'right')).code, 0);
  assert.equal((await call('POST', `${domains}/${NAME}/verify`)).verdict.code, 'verified');
  const domain = await until(({ state }) => state === 'active');
  assert.equal(domain.state, 'active', JSON.stringify(domain.issuance));

  const answer = await getOverTls(domain.url, await readFile(root, 'utf8'));
  assert.equal(answer.status, 200);
  assert.match(answer.text, /Petstore/);
  assert.ok(curl.includes(root) && curl.endsWith(`${domain.url}/`), curl);

  await call('POST', domains, { hostname: LIVE, prepare: true });
  assert.equal((await command(page, 'set', LIVE, 'prepare-first')).code, 0);
  assert.equal((await call('POST', `${domains}/${LIVE}/verify`)).pointsHere, false);
  const ready = await until(({ state }) => state === 'active', LIVE);
  assert.equal(ready.state, 'active', JSON.stringify(ready.issuance));
  assert.equal((await command(page, 'set', LIVE, 'right')).code, 0);
  assert.equal((await call('POST', `${domains}/${LIVE}/verify`)).pointsHere, true, 'it has moved');

  lab.child.kill('SIGTERM');
  await finished(lab);
  for (const origin of [page, dashboard]) await assert.rejects(fetch(origin), `${origin} is gone`);
  assert.ok(!existsSync(root), 'the folder went, too');
});

interface Banner {
  readonly page: string;
  readonly dashboard: string;
  readonly email: string;
  readonly password: string;
  readonly root: string;
  readonly curl: string;
}

async function bannerOf({ child, output }: Program): Promise<Banner> {
  const deadline = Date.now() + 120_000;
  while (!output.stdout.includes('Stop with Ctrl-C')) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`no banner: ${output.stdout}${output.stderr}`);
    await sleep(20);
  }
  const found = (pattern: RegExp) => pattern.exec(output.stdout)?.[1] ?? '';
  return {
    page: found(/Lab +(http:\S+)/),
    dashboard: found(/Dashboard +(http:\S+)/),
    email: found(/Sign in +(\S+)/),
    password: found(/password (\S+)/),
    root: found(/Its root +(\S+)/),
    curl: found(/(curl .*)/).trim(),
  };
}

function command(page: string, ...args: string[]) {
  const all = ['packages/lab/src/lab.ts', ...args];
  return runProgram(process.execPath, all, ROOT, { LAB_URL: page });
}

/** Only what the test looks at. */
interface DomainAnswer {
  readonly state: string;
  readonly url: string;
  readonly pointsHere: boolean;
  readonly verdict: { readonly code: string };
  readonly issuance: { readonly problem: { readonly explanation: string } | null } | null;
}

/** Signs in as the banner says; what is called then has to succeed. */
async function signIn(dashboard: string, credentials: object) {
  const headers = { 'content-type': 'application/json', origin: dashboard };
  const session = await fetch(`${dashboard}/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify(credentials),
  });
  assert.equal(session.status, 200, 'the sign-in works as printed');
  const cookie = session.headers
    .getSetCookie()
    .map((set) => set.replace(/;.*/, ''))
    .join('; ');
  return async (method: string, path: string, body: object = {}): Promise<DomainAnswer> => {
    const response = await fetch(dashboard + path, {
      method,
      headers: { ...headers, cookie },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${text}`);
    return JSON.parse(text);
  };
}

/** The page at a name that only the lab's DNS knows, trusted by its root alone. */
function getOverTls(
  url: string,
  ca: string,
): Promise<{ status: number | undefined; text: string }> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: hostname, ca, headers: { host } };
    const asked = request({ ...options, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    asked.on('error', reject).end();
  });
}
