import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { availableParallelism, constants } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAME_SIGNAL_MS } from '@petstore/service/shutdown.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { finished, type Program } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { baseUrls } from '../../src/addresses.ts';
import { readConfig } from '../../src/config.ts';
import { readMetrics } from '../support/metrics.ts';
import { petstore, serve } from '../support/program.ts';

const TOO_BIG_FOR_A_NUMBER = ['9007199254740993', '9223372036854775807', '-9223372036854775808'];

test('the banner tells where the service is and how to get a key', async (t) => {
  const folder = await temporaryFolder(t);
  const { output, origin } = await serve(t, folder);
  assert.match(output.stdout, /\n {2}API +http:\/\/127\.0\.0\.1:\d+\/v1\n/);
  assert.ok(output.stdout.includes(`${origin}/reference`));
  assert.ok(output.stdout.includes(`${folder}/data/petstore.db`));
  assert.match(output.stdout, /No API key yet\. Make one: +petstore keys create --name NAME/);
  assert.doesNotMatch(output.stdout, /pk_live/);
});

test('serve --first-key creates a key on a store without one, shows it once, and never again', async (t) => {
  const folder = await temporaryFolder(t);
  const first = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(first.output.stdout)?.[0];
  assert.ok(key);
  assert.ok(!first.output.stderr.includes(key), 'the log does not show it');
  first.child.kill('SIGTERM');
  assert.equal((await finished(first)).code, 0);
  const second = await serve(t, folder, {}, ['--first-key']);
  assert.doesNotMatch(second.output.stdout, /pk_live/);
  assert.match(second.output.stdout, /Bearer \$PETSTORE_KEY/);
});

test('the command that the banner gives for a key is the one for this store', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_ENV: 'staging', PETSTORE_DATABASE_URL: 'sqlite:./staging.db' };
  const { output, origin } = await serve(t, folder, env);
  const command = /Make one: +(.*) --name NAME/.exec(output.stdout)?.[1];
  assert.equal(
    command,
    'PETSTORE_ENV=staging PETSTORE_DATABASE_URL=sqlite:./staging.db petstore keys create',
  );
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const answer = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
});

test('a store in memory gets a key when it starts, since nobody else could make one', async (t) => {
  const folder = await temporaryFolder(t);
  const { output, origin } = await serve(t, folder, {
    PETSTORE_DATABASE_URL: 'sqlite::memory:',
  });
  assert.match(output.stdout, /in memory, gone when the process ends/);
  const key = /pk_live_\w{38}/.exec(output.stdout)?.[0];
  const answer = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
});

test('what was stored is there after a restart, to the last digit', async (t) => {
  const folder = await temporaryFolder(t);
  const first = await serve(t, folder, {}, ['--first-key']);
  const key = /pk_live_\w{38}/.exec(first.output.stdout)?.[0];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const categoryId of TOO_BIG_FOR_A_NUMBER) {
    const body = `{"name":"Rex","categoryId":${categoryId}}`;
    const answer = await fetch(`${first.origin}/v1/pets`, { method: 'POST', headers, body });
    assert.equal(answer.status, 201);
  }
  const before = await (await fetch(`${first.origin}/v1/pets`, { headers })).text();
  for (const id of TOO_BIG_FOR_A_NUMBER) assert.ok(before.includes(`"categoryId":${id},`));
  first.child.kill('SIGTERM');
  assert.equal((await finished(first)).code, 0);
  const second = await serve(t, folder);
  assert.equal(await (await fetch(`${second.origin}/v1/pets`, { headers })).text(), before);
});

test('a setting that is misspelt is told at the start, and one that is known is not', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_RATELIMIT: '9', PETSTORE_RATE_LIMIT: '9', PETSTORE_KEY: 'pk_live_mine' };
  const { output } = await serve(t, folder, env);
  const warnings = output.stderr.split('\n').filter((line) => line.includes('"level":"warn"'));
  assert.deepEqual(
    warnings.map((line) => JSON.parse(line).names),
    [['PETSTORE_RATELIMIT']],
  );
});

test('a port that is taken and an address of another machine are one sentence each', async (t) => {
  const folder = await temporaryFolder(t);
  const other = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  const taken = await petstore(folder, ['serve'], { PETSTORE_PORT: `${port}` });
  assert.deepEqual([taken.code, taken.stdout], [1, '']);
  assert.equal(
    taken.stderr,
    `petstore: Port ${port} on 127.0.0.1 is in use, by another program or by another process of this one. Stop it, or set PETSTORE_PORT to another port (0 picks a free one).\n`,
  );
  const foreign = await petstore(folder, ['serve'], {
    PETSTORE_HOST: '203.0.113.1',
    PETSTORE_PORT: '0',
  });
  assert.equal(foreign.code, 1);
  assert.match(
    foreign.stderr,
    /^petstore: 203\.0\.113\.1 is not an address of this machine\. Set PETSTORE_HOST[^\n]+\n$/,
  );
  const unknown = await petstore(folder, ['serve'], { PETSTORE_HOST: 'a b', PETSTORE_PORT: '0' });
  assert.match(
    unknown.stderr,
    /^petstore: PETSTORE_HOST is "a b", which is neither an address nor a name/,
  );
  const bad = await petstore(folder, ['serve'], { PETSTORE_PORT: 'http' });
  assert.equal(
    bad.stderr,
    'petstore: PETSTORE_PORT must be an integer from 0 to 65535; got "http".\n',
  );
});

const isStopping = ({ output }: Program) => output.stderr.includes('"stopping"');

test('SIGTERM and SIGINT let a request under way finish and end with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const folder = await temporaryFolder(t);
    const program = await serve(t, folder, {}, ['--first-key']);
    const key = /pk_live_\w{38}/.exec(program.output.stdout)?.[0];
    let send: (() => void) | undefined;
    const body = new ReadableStream({
      start(controller) {
        const bytes = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
        controller.enqueue(bytes.subarray(0, 10));
        send = () => {
          controller.enqueue(bytes.subarray(10));
          controller.close();
        };
      },
    });
    const answer = fetch(`${program.origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      // Not in the types of the DOM, which some library brings along.
      ...({ duplex: 'half' } as object),
    });
    // The other one asks for the metrics.
    await timeUntil(
      async () =>
        (await readMetrics(program.origin)).value('petstore_http_requests_in_flight') === 2,
    );
    program.child.kill(signal);
    await timeUntil(async () => isStopping(program));
    send?.();
    assert.equal((await answer).status, 201);
    assert.equal((await finished(program)).code, 0);
  }
});

/** Whether a SIGINT was sent to a program, and not taken so far. */
async function hasPendingSigint({ child }: Program): Promise<boolean> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  const masks = [...status.matchAll(/^(?:SigPnd|ShdPnd):\s*(\S+)$/gm)];
  const bit = 1n << BigInt(constants.signals.SIGINT - 1);
  return masks.some(([, mask]) => (BigInt(`0x${mask}`) & bit) > 0n);
}

test('one Ctrl-C that arrives twice, as under npm, lets requests finish; a later one ends all', async (t) => {
  const start = async () => {
    const program = await serve(t, await temporaryFolder(t));
    // A request that never ends keeps the service from stopping.
    const socket = connect(Number(new URL(program.origin).port), '127.0.0.1');
    cleanUp(t, () => socket.destroy());
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n');
    // The service reads connections in the order in which they came.
    await fetch(`${program.origin}/livez`, { headers: { connection: 'close' } });
    const signalledAt = performance.now();
    program.child.kill('SIGINT');
    // Told at once: the next one has to come within half a second of the first.
    while (!isStopping(program)) await once(program.child.stderr ?? assert.fail(), 'data');
    return { program, socket, signalledAt };
  };
  // A machine that is late with the second one makes it a later one: so up to five times.
  for (let times = 1; ; times++) {
    const twice = await start();
    twice.program.child.kill('SIGINT');
    // It counts when the process takes it, and that may stand still.
    await timeUntil(async () => !(await hasPendingSigint(twice.program)));
    const isLate = performance.now() - twice.signalledAt > SAME_SIGNAL_MS / 2;
    twice.socket.end('\r\n');
    const { code } = await finished(twice.program);
    if (isLate && times < 5) continue;
    assert.equal(code, 0);
    break;
  }

  const { program } = await start();
  // So long the second is taken for the first.
  await sleep(SAME_SIGNAL_MS + 10);
  assert.equal(program.child.exitCode, null);
  program.child.kill('SIGINT');
  const { code, stderr } = await finished(program);
  assert.equal(code, 1);
  assert.doesNotMatch(stderr, /in time/, 'at once');
});

test('staging and production know both addresses, their own as it is', async (t) => {
  const folder = await temporaryFolder(t);
  const inDocument = async (env: Record<string, string>) => {
    const { stdout } = await petstore(folder, ['openapi'], env);
    return (JSON.parse(stdout) as { servers: { url: string }[] }).servers.map(({ url }) => url);
  };
  const unset = ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8090/v1'];
  assert.deepEqual(await inDocument({ PETSTORE_PORT: '0' }), unset);
  assert.deepEqual(
    await inDocument({ PETSTORE_ENV: 'staging', PETSTORE_PORT: '9000', PETSTORE_HOST: '::' }),
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:9000/v1'],
  );
  const servers = (env: Record<string, string>) => {
    const config = readConfig(env);
    return Object.values(baseUrls(config, config.port));
  };
  assert.deepEqual(servers({}), unset);
  assert.deepEqual(servers({ PETSTORE_HOST: '::1' }), [
    'http://[::1]:8080/v1',
    'http://127.0.0.1:8090/v1',
  ]);
  const configured = {
    PETSTORE_BASE_URL: 'https://api.example.com/v1',
    PETSTORE_STAGING_BASE_URL: 'https://staging.example.com/v1',
  };
  assert.deepEqual(servers(configured), Object.values(configured));
});

test('the service has the flags that spare memory and the core that it answers on, unless they are given', async (t) => {
  const folder = await temporaryFolder(t);
  const flagsOf = async (env: Record<string, string>) => {
    const { child } = await serve(t, folder, { PETSTORE_DATABASE_URL: 'sqlite::memory:', ...env });
    const line = await readFile(`/proc/${child.pid}/cmdline`, 'utf8');
    return line.split('\0').filter((word) => /^--(max-semi|v8-pool)/.test(word));
  };
  const threads = Math.max(1, Math.min(4, availableParallelism() - 1));
  const own = ['--max-semi-space-size=8', `--v8-pool-size=${threads}`];
  assert.deepEqual(await flagsOf({}), own);
  assert.deepEqual(await flagsOf({ NODE_OPTIONS: '--v8-pool-size=3' }), own.slice(0, 1));
  assert.deepEqual(await flagsOf({ NODE_OPTIONS: '--max_semi_space_size=16' }), own.slice(1));
});
