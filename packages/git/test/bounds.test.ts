import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { WITHOUT_GIT } from '@petstore/test-support/git-hosts/requirements.ts';
import { runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { fetchBranch } from '../src/fetch-branch.ts';
import { listBranches } from '../src/list-branches.ts';
import { objectHead, packHead, packOfChange, sealed } from './support/packs.ts';
import { band, endlessly, playHost } from './support/played-host.ts';
import { processesOf } from './support/processes.ts';
import { failsWith, LIMITS, NEVER, visit } from './support/visit.ts';

const skip = WITHOUT_GIT;

const reasonOf = (work: Promise<unknown>): Promise<Error & { code?: string; detail?: string }> =>
  work.then(
    () => assert.fail('it did not fail'),
    (reason) => reason,
  );

test('a host that sends for ever is cut off', { skip }, async (t) => {
  const { host, fetch, settings } = await visit(t);
  const limits = { maxBytes: 2_000_000 };
  const message = /sends more than 2 MB/;
  // A file without an end, as zlib's stored blocks.
  const block = Buffer.concat([Buffer.from([0x00, 0xff, 0xff, 0x00, 0x00]), randomBytes(65_535)]);
  playHost(host, async function* () {
    yield band(
      1,
      Buffer.concat([packHead(1), objectHead('blob', 100e9), Buffer.from([0x78, 0x01])]),
    );
    for await (const chunk of endlessly(block)) {
      yield band(1, chunk.subarray(0, 40_000));
      yield band(1, chunk.subarray(40_000));
    }
  });
  await failsWith('too_large', message, fetch('main', limits), settings);
  // Words of the host beside the pack.
  playHost(host, () => endlessly(band(2, Buffer.alloc(60_000, 'x\n'))));
  await failsWith('too_large', message, fetch('main', limits), settings);
  host.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    const send = () => {
      while (
        !response.destroyed &&
        response.write(
          '003b1234567890123456789012345678901234567890 refs/heads/mai\n'.repeat(1_000),
        )
      );
    };
    response.on('drain', send);
    send();
    return true;
  };
  await failsWith('too_large', message, fetch('main', limits), settings);
});

test('a host that sends a byte a second, or nothing, is given up in time', { skip }, async (t) => {
  const { host, fetch, settings } = await visit(t);
  const message = /was not there within 2 seconds/;
  playHost(host, () => endlessly(band(1, Buffer.from('P')), 1_000));
  await failsWith('too_slow', message, fetch('main', { seconds: 2 }), settings);
  host.answer = () => true;
  await failsWith('too_slow', message, fetch('main', { seconds: 2 }), settings);
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  for (const url of [`https://localhost:${port}/x`, `ssh://git@localhost:${port}/x`]) {
    const repository = { url, credentials: null, hostKeys: [] };
    const work = fetchBranch(repository, 'main', { ...LIMITS, seconds: 2 }, settings, NEVER);
    await failsWith('too_slow', message, work, settings);
  }
});

test('a pack that says it has two billion objects takes no memory for them', {
  skip,
}, async (t) => {
  const { host, fetch, settings } = await visit(t);
  playHost(host, async function* () {
    yield band(1, packHead(0x7fff_ffff));
    yield* endlessly(band(1, randomBytes(1_000)), 20);
  });
  const { code, detail } = await reasonOf(fetch('main', { seconds: 20 }));
  assert.equal(code, 'too_large', detail);
  assert.deepEqual(await readdir(settings.directory), []);
});

test('what is cut short, or is no pack, is said so', { skip }, async (t) => {
  const { host, fetch, settings } = await visit(t);
  const message = /localhost/;
  playHost(host, async function* () {
    yield band(1, Buffer.concat([packHead(1), objectHead('blob', 5), Buffer.from('nonsense')]));
  });
  await failsWith('bad_repository', message, fetch(), settings);
  playHost(host, async function* (response) {
    yield band(1, packHead(3));
    await sleep(50);
    response.destroy();
  });
  await failsWith('unreachable', message, fetch(), settings);
  // Whole, but without the commit.
  playHost(host, async function* () {
    yield band(1, sealed(packHead(0)));
  });
  await failsWith('bad_repository', message, fetch(), settings);
});

test('a call that is given up leaves no process and no file, and its reason is told', {
  skip,
}, async (t) => {
  const { host, fetch, settings } = await visit(t);
  for (const when of ['before', 'at once', 'in the middle'] as const) {
    const stop = new AbortController();
    const reason = new Error('the dashboard stops');
    let isSending = false;
    playHost(host, async function* () {
      isSending = true;
      yield* endlessly(band(1, Buffer.from('P')), 50);
    });
    if (when === 'before') stop.abort(reason);
    const work = reasonOf(fetch('main', {}, stop.signal));
    if (when === 'in the middle') {
      await timeUntil(async () => isSending);
      assert.ok(processesOf(settings.directory).length >= 2);
    }
    stop.abort(reason);
    assert.equal(await work, reason, when);
    assert.deepEqual(await readdir(settings.directory), [], when);
    assert.deepEqual(processesOf(settings.directory), [], when);
  }
});

test('a call that is given up, or takes too long, ends all that git started', {
  skip,
}, async (t) => {
  const { source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const lines =
    'case "$*" in *fetch*) trap "" TERM HUP; sleep 300 & sleep 300;; esac; exec git "$@"';
  const slow = { ...settings, git: await program(t, lines) };
  const stop = new AbortController();
  const work = reasonOf(fetchBranch(repository, 'main', LIMITS, slow, stop.signal));
  await timeUntil(async () => processesOf(settings.directory).length >= 3);
  stop.abort(new Error('enough'));
  assert.equal((await work).message, 'enough');
  assert.deepEqual(processesOf(settings.directory), []);
  const late = fetchBranch(repository, 'main', { ...LIMITS, seconds: 1 }, slow, NEVER);
  await failsWith('too_slow', /within 1 seconds/, late, settings);
  assert.deepEqual(processesOf(settings.directory), []);
});

test('a list is given up as well', { skip }, async (t) => {
  const { host, repository, settings } = await visit(t);
  host.answer = () => true;
  const stop = new AbortController();
  const work = reasonOf(listBranches(repository, settings, stop.signal));
  await timeUntil(async () => host.requests.length > 0);
  stop.abort(new Error('enough'));
  assert.equal((await work).message, 'enough');
  assert.deepEqual(processesOf(settings.directory), []);
});

test('without git, or with one that is too old, it is said what to install', {
  skip,
}, async (t) => {
  const { source, repository, settings } = await visit(t);
  source.commit({ a: '1' });
  const ask = (git: string) => listBranches(repository, { ...settings, git }, NEVER);
  await failsWith(
    'git_missing',
    /has no git\. Install git 2\.39 or newer/,
    ask('/nowhere/git'),
    settings,
  );
  const old = await programThatSays(t, 'git version 2.38.9');
  await failsWith(
    'git_missing',
    /has git 2\.38, which is too old\. Install git 2\.39/,
    ask(old),
    settings,
  );
  const odd = await programThatSays(t, 'hello');
  await failsWith('git_missing', /has no git/, ask(odd), settings);
});

test('a program that the system cannot start is an error of its call, and of nothing else', async () => {
  const fixture = join(import.meta.dirname, 'fixtures/start-nothing.ts');
  const command = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, fixture];
  const outcome = await runProgram('sh', command, import.meta.dirname);
  assert.deepEqual(outcome, { code: 0, stdout: 'ENOENT EMFILE done\n', stderr: '' });
});

test('a git that is killed in the middle of a list gives no part of it', { skip }, async (t) => {
  const { source, repository, settings } = await visit(t);
  source.commit({ a: '1', b: '2', c: '3' });
  const lines = `case "$*" in *ls-tree*) git "$@" | head -c 60; kill -9 $$;; esac; exec git "$@"`;
  const git = await program(t, lines);
  const work = fetchBranch(repository, 'main', LIMITS, { ...settings, git }, NEVER);
  const error = await failsWith('bad_repository', /localhost/, work, settings);
  assert.match(error.detail, /died of signal 9/);
});

test('a large file that compresses to nothing takes no memory, and no room on the disk', {
  skip,
}, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const file = join(await temporaryFolder(t), 'large');
  await writeFile(file, '');
  await truncate(file, 150_000_000);
  const hash = source.git([
    '-c',
    'core.bigFileThreshold=1m',
    'hash-object',
    '-w',
    '--no-filters',
    file,
  ]);
  const tree = source.git(['mktree'], `100644 blob ${hash}\tlarge\n`);
  source.git(['update-ref', 'refs/heads/main', source.git(['commit-tree', tree, '-m', 'x'])]);
  let peak = 0;
  const watch = setInterval(() => {
    for (const { peakBytes } of processesOf(settings.directory)) peak = Math.max(peak, peakBytes);
  }, 20);
  cleanUp(t, () => clearInterval(watch));
  await failsWith('too_large', /files of more than 20 MB together/, fetch(), settings);
  assert.ok(peak > 0 && peak < 100_000_000, `${peak} bytes`);
});

test('a kilobyte that becomes half a gigabyte in memory is refused', { skip }, async (t) => {
  const { source, fetch, settings } = await visit(t);
  const { pack, blob, hash } = packOfChange(Buffer.alloc(1_000_000, 'x'), 500);
  assert.ok(pack.length < 2_000);
  source.git(['index-pack', '--stdin', '--threads=1'], pack);
  const tree = source.git(['mktree'], `100644 blob ${hash}\tlarge\n100644 blob ${blob}\tsmall\n`);
  source.git(['update-ref', 'refs/heads/main', source.git(['commit-tree', tree, '-m', 'x'])]);
  const message = /objects that take more memory or room/;
  const error = await failsWith(
    'too_large',
    message,
    fetch('main', { maxBytes: 1_000_000 }),
    settings,
  );
  assert.match(error.detail, /Out of memory/);
});

const programThatSays = (t: Ending, text: string) => program(t, `echo '${text}'`);

async function program(t: Ending, script: string): Promise<string> {
  const path = join(await temporaryFolder(t), 'git');
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return path;
}
