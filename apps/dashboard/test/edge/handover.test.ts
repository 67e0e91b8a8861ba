import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename, symlink, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { request, Agent as SecureAgent } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { bindSockets } from '@petstore/service/workers/sockets.ts';
import { spawnChild } from '@petstore/test-support/children.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { childrenOf } from '@petstore/test-support/program.ts';
import { despiteStandstill } from '@petstore/test-support/standstill.ts';
import { steadyLoad } from '@petstore/test-support/steady-load.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { GRACE_PERIOD_MS } from '../../server/src/configured-edge.ts';
import { readyProject } from '../domains/support/domains.ts';
import { DASHBOARD, dashboard, getFromEdge } from '../support/dashboard-program.ts';
import { startService } from '../support/service.ts';
import { authority } from './support/certificates.ts';
import { putServedDomain } from './support/served-domain.ts';

// A new version takes the place of a running one while clients of each kind ask: none of their requests fails.

const PLATFORM_HOST = 'pets.docs.localhost';
const HOST = 'docs.customer.test';
const PATH = '/openapi.json';

interface Ports {
  readonly port: number;
  readonly httpsPort: number;
}

/** A site at a platform's host and at a domain of its own, in a store; the settings of a program on that. */
async function storeWithSite(t: TestContext): Promise<Record<string, string>> {
  const secretKey = randomBytes(32);
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'dashboard.db')}`;
  const service = await startService(t, { databaseUrl, secretKey });
  await readyProject(await service.signUp('root@example.com'), 'pets');
  await putServedDomain(service.db, { slug: 'pets', hostname: HOST, secretKey });
  return {
    DASHBOARD_DATABASE_URL: databaseUrl,
    DASHBOARD_SECRET_KEY: secretKey.toString('base64'),
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
  };
}

/** A program that says its version when it starts, and is the dashboard otherwise; `current` leads to it. */
async function install(folder: string, version: number): Promise<string> {
  const name = `version-${version}.js`;
  const code = `console.error('version ${version}');\nawait import(${JSON.stringify(DASHBOARD)});\n`;
  await writeFile(join(folder, name), code);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const current = join(folder, 'current.js');
  await symlink(name, `${current}.new`);
  await rename(`${current}.new`, current);
  return current;
}

/**
 * The client of HTTP/2 keeps one session until the server says that it ends. Node does not send a stream that was opened
 * just before the word came, and says only at the session's end that it was refused; so it goes to the next session.
 * That the server refuses none is seen in http2/frames.test.ts.
 */
function http2Client(t: TestContext, port: number) {
  let session: ClientHttp2Session | undefined;
  cleanUp(t, () => session?.destroy());
  const ask = async (): Promise<{ status: number; text: string }> => {
    if (!session || session.closed || session.destroyed) {
      const options = { ca: authority.root, servername: HOST };
      session = connectHttp2(`https://127.0.0.1:${port}`, options);
    }
    const stream = session.request({ ':path': PATH, ':authority': HOST });
    try {
      const [[headers], body] = await Promise.all([once(stream, 'response'), text(stream)]);
      return { status: Number(headers[':status']), text: body };
    } catch (error) {
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return ask();
      throw error;
    }
  };
  return ask;
}

function secureClient(t: TestContext, port: number) {
  const agent = new SecureAgent({ keepAlive: true, maxSockets: 2, ca: authority.root });
  cleanUp(t, () => agent.destroy());
  return async () => {
    const options = { agent, port, path: PATH, servername: HOST, headers: { host: HOST } };
    const [response] = await once(request({ host: '127.0.0.1', ...options }).end(), 'response');
    return { status: Number(response.statusCode), text: await text(response) };
  };
}

/** Clients of all kinds, until `end`: how many requests of each kind had a response. */
function loads(t: TestContext, { port, httpsPort }: Ports) {
  const kept = new Agent({ keepAlive: true, maxSockets: 4 });
  cleanUp(t, () => kept.destroy());
  const fresh = new Agent({ keepAlive: false });
  const plain = (agent: Agent) => () => getFromEdge(port, PLATFORM_HOST, PATH, agent);
  const running = [
    steadyLoad(plain(kept), 200, 4),
    steadyLoad(plain(fresh), 200, 2),
    steadyLoad(secureClient(t, httpsPort), 200, 2),
    steadyLoad(http2Client(t, httpsPort), 200, 2),
  ];
  return { end: () => Promise.all(running.map((load) => load.end())) };
}

/**
 * Restarts a server while clients ask; resolves with how many requests of each kind had a response. A server that stops
 * ends connections that are idle for its grace period: clients that stand still so long may ask on one that is gone.
 */
function restartUnderLoad(
  begin: () => { end: () => Promise<number[]> },
  restart: () => Promise<void>,
): Promise<number[]> {
  return despiteStandstill(GRACE_PERIOD_MS / 2, async () => {
    const load = begin();
    await restart();
    return load.end();
  });
}

function listen(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk) => (output.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk) => (output.stderr += chunk));
  return output;
}

async function portsOf(child: ChildProcess, output: { stdout: string; stderr: string }) {
  const said = () => /localhost:(\d+).*TLS on port (\d+)/s.exec(output.stdout);
  await timeUntil(async () => {
    assert.equal(child.exitCode, null, output.stderr);
    return said() !== null;
  });
  const [, port, httpsPort] = said() ?? [];
  return { port: Number(port), httpsPort: Number(httpsPort) };
}

/** Each kind of client had responses. */
function assertAll(counts: readonly number[]): void {
  for (const count of counts) assert.ok(count > 0, `${counts}`);
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}

test('a new version of an edge takes over by SIGHUP, five times under load, and no request fails', async (t) => {
  const env = await storeWithSite(t);
  const folder = await temporaryFolder(t);
  const program = await install(folder, 1);
  const child = spawnChild(t, process.execPath, [program, 'edge', '--workers', '1'], {
    ...{ cwd: folder, env: { PATH: process.env.PATH, ...env } },
  });
  const output = listen(child);
  const load = loads(t, await portsOf(child, output));
  for (let version = 2; version <= 6; version++) {
    const [former] = await childrenOf(child.pid as number);
    await install(folder, version);
    child.kill('SIGHUP');
    await timeUntil(async () => output.stderr.includes(`version ${version}\n`));
    // It ends once its clients have gone to the new one, long before idle ones would have to.
    await timeUntil(async () => !(await childrenOf(child.pid as number)).includes(Number(former)));
  }
  assertAll(await load.end());
  await stop(child);
});

/** What systemd does: opens sockets, and starts programs on them one after another. */
async function activation(t: TestContext, names: readonly string[]) {
  const sockets = await Promise.all(names.map(() => bindSockets('127.0.0.1', 0, 1)));
  cleanUp(t, () => sockets.forEach((socket) => void socket.close()));
  const fds = sockets.map(({ fds: [fd] }) => fd as number);
  const variables = `LISTEN_FDS=${names.length} LISTEN_FDNAMES=${names.join(':')}`;
  return {
    ports: sockets.map(({ port }) => port),
    start(args: readonly string[], cwd: string, env: Record<string, string>): ChildProcess {
      const command = ['-c', `LISTEN_PID=$$ ${variables} exec "$@"`, 'sh'];
      return spawnChild(t, 'sh', [...command, process.execPath, DASHBOARD, ...args], {
        ...{ cwd, env: { PATH: process.env.PATH, ...env } },
        stdio: ['ignore', 'pipe', 'pipe', ...fds],
      });
    },
  };
}

test('an edge that is started anew on the sockets of systemd fails no request', async (t) => {
  const env = await storeWithSite(t);
  const cwd = await temporaryFolder(t);
  const systemd = await activation(t, ['http', 'https']);
  const start = async (args: readonly string[]) => {
    const child = systemd.start(['edge', ...args], cwd, env);
    assert.deepEqual(Object.values(await portsOf(child, listen(child))), systemd.ports);
    return child;
  };
  let child = await start([]);
  const [port = 0, httpsPort = 0] = systemd.ports;
  const counts = await restartUnderLoad(
    () => loads(t, { port, httpsPort }),
    async () => {
      // Often enough that one ends while requests are under way.
      for (let times = 0; times < 4; times++) {
        await stop(child);
        child = await start(times % 2 === 0 ? ['--workers', '2'] : []);
      }
    },
  );
  assertAll(counts);
  await stop(child);
});

test('a dashboard that is started anew on the sockets of systemd fails no request', async (t) => {
  const env = await storeWithSite(t);
  const cwd = await temporaryFolder(t);
  const systemd = await activation(t, ['dashboard', 'http', 'https']);
  const [dashboardPort = 0, port = 0, httpsPort = 0] = systemd.ports;
  const start = async () => {
    const child = systemd.start(['serve', '--json'], cwd, env);
    const output = listen(child);
    await timeUntil(async () => {
      assert.equal(child.exitCode, null, output.stderr);
      return output.stdout.includes('\n');
    });
    assert.equal(JSON.parse(output.stdout).url, `http://127.0.0.1:${dashboardPort}`);
    return child;
  };
  let child = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  cleanUp(t, () => agent.destroy());
  const once = new Agent({ keepAlive: false });
  const counts = await restartUnderLoad(
    () => {
      const edge = loads(t, { port, httpsPort });
      const own = [agent, once].map((one) =>
        steadyLoad(() => getFromEdge(dashboardPort, 'localhost', '/livez', one), 200, 2),
      );
      return {
        end: async () => (await Promise.all([edge.end(), ...own.map((load) => load.end())])).flat(),
      };
    },
    async () => {
      await stop(child);
      child = await start();
    },
  );
  assertAll(counts);
  await stop(child);
});

test('an edge says which name a socket of systemd lacks', async (t) => {
  const cwd = await temporaryFolder(t);
  const refusal = async (names: string) => {
    const command = `LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=${names} exec "$@"`;
    const args = ['-c', command, 'sh', process.execPath, DASHBOARD, 'edge'];
    const child = spawnChild(t, 'sh', args, { cwd, env: { PATH: process.env.PATH } });
    const output = listen(child);
    await once(child, 'close');
    assert.equal(child.exitCode, 1);
    return output.stderr;
  };
  assert.match(
    await refusal('http:edge.socket'),
    /"edge\.socket".*FileDescriptorName=.*http, https/,
  );
  assert.match(await refusal('http:http'), /two sockets with the name http/);
  assert.equal((await dashboard(cwd, ['edge', '--help'])).code, 0);
});
