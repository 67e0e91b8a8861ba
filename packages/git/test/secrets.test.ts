import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { forkChild } from '@petstore/test-support/children.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { WITHOUT_GIT, WITHOUT_SSHD } from '@petstore/test-support/git-hosts/requirements.ts';
import { gitSshHost } from '@petstore/test-support/git-hosts/ssh-host.ts';
import { makeTestRepository } from '@petstore/test-support/git-hosts/test-repository.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { createDeployKey } from '../src/deploy-key.ts';
import { fetchBranch } from '../src/fetch-branch.ts';
import { listBranches } from '../src/list-branches.ts';
import { band, endlessly, playHost } from './support/played-host.ts';
import { processesOf } from './support/processes.ts';
import { failsWith, LIMITS, NEVER, visit } from './support/visit.ts';

const TOKEN = 'glpat-s3cr3tS3cr3tS3cr3t';
const HEADER = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');

/** The files below a folder, with what is in them. */
async function filesBelow(folder: string): Promise<{ path: string; mode: number; text: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const { mode } = await stat(path);
        return { path, mode: mode & 0o777, text: await readFile(path, 'latin1') };
      }),
  );
}

test('a token is in no argument, no file and no message', { skip: WITHOUT_GIT }, async (t) => {
  const { host, repository, settings } = await visit(t);
  const credentials = { kind: 'token', username: null, token: TOKEN } as const;
  let isSending = false;
  let given: string | undefined;
  playHost(host, async function* (response) {
    isSending = true;
    given = response.req.headers.authorization;
    // A host that says what it was given.
    yield band(2, Buffer.from(`token ${TOKEN} header ${HEADER}\n`));
    yield* endlessly(band(1, Buffer.from('P')), 100);
  });
  const stop = new AbortController();
  const work = fetchBranch({ ...repository, credentials }, 'main', LIMITS, settings, stop.signal);
  const ended = work.catch(() => undefined);
  await timeUntil(async () => isSending && processesOf(settings.directory).length >= 3);
  const processes = processesOf(settings.directory);
  const password =
    /http:\/\/git:([0-9a-f]+)@127/.exec(processes[0]?.env ?? '')?.[1] ?? assert.fail();
  assert.ok(
    processes.some(({ env }) => env.includes(HEADER)),
    'it is passed by the environment',
  );
  assert.equal(given, `Basic ${HEADER}`);
  for (const secret of [TOKEN, HEADER, password]) {
    for (const { args } of processes) assert.ok(!args.includes(secret), args);
    for (const { path, text } of await filesBelow(settings.directory))
      assert.ok(!text.includes(secret), path);
  }
  stop.abort(new Error('enough'));
  await ended;
  // A message that repeats it.
  playHost(host, async function* () {
    yield band(2, Buffer.from(`token ${TOKEN} header ${HEADER}\n`));
    yield band(1, Buffer.from('no pack'));
  });
  const again = fetchBranch({ ...repository, credentials }, 'main', LIMITS, settings, NEVER);
  const error = await failsWith('bad_repository', /localhost/, again, settings);
  const told = `${error.message} ${error.detail} ${error.stack}`;
  assert.match(error.detail, /token \*\*\* header \*\*\*/);
  for (const secret of [TOKEN, HEADER]) assert.ok(!told.includes(secret));
});

test('a deploy key is in a file that its owner alone can read, while it is needed', {
  skip: WITHOUT_SSHD,
}, async (t) => {
  const { settings } = await visit(t);
  const { privateKey } = await createDeployKey('x');
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  const repository = {
    url: `ssh://git@localhost:${port}/x`,
    credentials: { kind: 'key', privateKey },
    hostKeys: [],
  } as const;
  const stop = new AbortController();
  const work = listBranches(repository, settings, stop.signal).catch((error) => error);
  await timeUntil(async () => sockets.size > 0);
  const files = await filesBelow(settings.directory);
  const key = files.find(({ text }) => text.includes('PRIVATE KEY')) ?? assert.fail('no key');
  assert.equal(key.mode, 0o600);
  for (const { path, mode } of files) assert.equal(mode & 0o077, 0, path);
  const [folder = ''] = await readdir(settings.directory);
  assert.equal((await stat(join(settings.directory, folder))).mode & 0o777, 0o700);
  const [, secret = ''] = privateKey.split('\n');
  for (const { args, env } of processesOf(settings.directory))
    assert.ok(!args.includes(secret) && !env.includes(secret));
  stop.abort(new Error('enough'));
  assert.equal((await work).message, 'enough');
  assert.deepEqual(await readdir(settings.directory), []);
});

test("the configuration of the machine's user does not count", {
  skip: WITHOUT_SSHD,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const marker = join(folder, 'marker');
  const evil = `sh -c 'touch ${marker}'`;
  await writeFile(
    join(folder, '.gitconfig'),
    `[core]\n sshCommand = ${evil}\n fsmonitor = ${evil}\n[credential]\n helper = "!touch ${marker}"\n[url "https://localhost:1/"]\n insteadOf = https://\n`,
  );
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    GIT_CONFIG_PARAMETERS: `'core.sshcommand=${evil}'`,
    GIT_SSH_COMMAND: `touch ${marker}`,
    GIT_ASKPASS: `touch ${marker}`,
    SSH_ASKPASS: `touch ${marker}`,
    GIT_TRACE: join(folder, 'trace'),
    GIT_DIR: folder,
    GIT_PROXY_COMMAND: `touch ${marker}`,
    https_proxy: 'http://127.0.0.1:1',
    ALL_PROXY: 'http://127.0.0.1:1',
    no_proxy: '*',
    NODE_TLS_REJECT_UNAUTHORIZED: '1',
    GIT_SSL_NO_VERIFY: '1',
  };
  const before = { ...process.env };
  cleanUp(t, () => {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  });
  const { source, fetch, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const host = await gitSshHost(t);
  const bySsh = makeTestRepository(folder, 'pets.git');
  bySsh.commit({ a: '1' });
  const { privateKey, publicKey } = await createDeployKey('x');
  await host.authorize(publicKey);
  Object.assign(process.env, env);
  await (await fetch()).release();
  const untrusted = listBranches(repository, { ...settings, caFile: null }, NEVER);
  await failsWith('certificate', /not trusted/, untrusted, settings);
  const key = { kind: 'key', privateKey } as const;
  const url = `${host.origin}${bySsh.folder}`;
  await listBranches({ url, credentials: key, hostKeys: [] }, settings, NEVER);
  assert.deepEqual((await readdir(folder)).sort(), ['.gitconfig', 'pets.git']);
});

test('the configuration of a checkout that the folder is in does not count', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const around = await temporaryFolder(t);
  const git = (...args: string[]) => spawnSync('git', args, { cwd: around });
  git('init', '--quiet');
  git('config', 'url.https://localhost:1/.insteadOf', 'https://');
  git('config', 'http.extraHeader', 'X-Inside: 1');
  assert.notEqual(git('ls-remote', repository.url).status, 0);
  const directory = join(around, 'spool');
  await mkdir(directory);
  const list = await listBranches(repository, { ...settings, directory }, NEVER);
  assert.equal(list.branches.size, 1);
});

test('git ends by itself where the program that called it is killed', {
  skip: WITHOUT_GIT,
}, async (t) => {
  const { host, repository, settings } = await visit(t);
  let isSending = false;
  playHost(host, async function* () {
    isSending = true;
    yield* endlessly(band(1, Buffer.from('P')), 100);
  });
  const work = JSON.stringify({ repository, limits: LIMITS, settings });
  const child = forkChild(t, join(import.meta.dirname, 'fixtures/fetch.ts'), [work]);
  await timeUntil(async () => isSending && processesOf(settings.directory).length >= 3);
  child.kill('SIGKILL');
  await timeUntil(async () => processesOf(settings.directory).length === 0);
});
