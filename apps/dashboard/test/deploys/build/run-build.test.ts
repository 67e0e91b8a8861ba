import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { coverNothing } from '@petstore/test-support/program.ts';
import { assertWithin, timeOf } from '@petstore/test-support/within.ts';
import type { BuildInput, BuildLog } from '../../../server/src/deploys/artifact.ts';
import { runBuild } from '../../../server/src/deploys/build/run-build.ts';
import { zipOf } from '../../support/archives.ts';
import { built, fixture, silent } from '../../support/build-site.ts';
import { largeDocument } from '../../support/large-document.ts';

coverNothing();

const never = new AbortController().signal;

const inputOf = (document: object | Uint8Array): BuildInput => ({
  kind: 'document',
  bytes: document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document)),
  name: 'openapi.json',
});

test('a thread builds what this one would, and tells each step as it comes', async () => {
  const bytes = await fixture('weather.json');
  const lines: Parameters<BuildLog>[0][] = [];
  const result = await runBuild(inputOf(bytes), (line) => lines.push(line), never);
  assert.ok('artifact' in result);
  const { artifact } = result;
  assert.equal(artifact.hash, (await built(bytes)).hash);
  for (const { hash } of Object.values(artifact.manifest.files))
    assert.ok(artifact.blobs.has(hash));
  assert.deepEqual(
    lines.flatMap(({ step }) => (step ? [step] : [])),
    ['parse', 'check', 'upgrade', 'render', 'compress'],
  );
  const messages = lines.map(({ message }) => message);
  assert.ok(messages.includes('Found 2 operations in 1 tag'), messages.join('\n'));
});

test('small builds share a thread; one that was given up, or was large, is not taken again', async () => {
  const small = inputOf(await fixture('weather.json'));
  const build = async (input: BuildInput, deadline = 60_000) => {
    const before = await threadsStarted();
    const result = await runBuild(input, silent, never, { deadline, heap: 512 });
    return { result, threads: (await threadsStarted()) - before };
  };
  const first = await build(small);
  const second = await build(small);
  assert.deepEqual([first.threads, second.threads], [1, 0]);
  assert.deepEqual(second.result, first.result);

  const broken = await build(inputOf({ openapi: '3.1.0' }));
  assert.ok('problems' in broken.result);
  assert.equal((await build(small)).threads, 0, 'a document with problems leaves nothing behind');

  const given = await build(inputOf(largeDocument(500)), 20);
  assert.ok('problems' in given.result);
  const afterGivenUp = await build(small);
  assert.equal(afterGivenUp.threads, 1);
  assert.deepEqual(afterGivenUp.result, first.result);

  const large = inputOf({ ...JSON.parse(`${small.bytes}`), 'x-padding': 'x'.repeat(1_000_000) });
  assert.ok('artifact' in (await build(large)).result);
  assert.equal((await build(small)).threads, 1);
});

/** How many threads this process has started so far, and this call's own: they are numbered. */
async function threadsStarted(): Promise<number> {
  threadsOfCalls++;
  const worker = new Worker('', { eval: true });
  const { threadId } = worker;
  await worker.terminate();
  return threadId - threadsOfCalls;
}
let threadsOfCalls = 0;

test('500 operations are built in ten seconds', async () => {
  await assertWithin(10_000, () =>
    timeOf(async () => {
      const result = await runBuild(inputOf(largeDocument(500)), silent, never);
      assert.ok('artifact' in result, JSON.stringify(result));
      const paths = Object.keys(result.artifact.manifest.files);
      assert.equal(paths.filter((path) => path.endsWith('.md')).length, 500);
    }),
  );
});

test('nobody is held up while a site of a thousand files is handed over', async () => {
  const input = inputOf(largeDocument(1_000));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const noteEnd: BuildLog = ({ message }) => {
    // The last that is said before the files come.
    if (/with its compressed forms/.test(message)) delay.enable();
  };
  const result = await runBuild(input, noteEnd, never);
  await sleep(20);
  delay.disable();
  assert.ok('artifact' in result);
  const { manifest, blobs } = result.artifact;
  const longest = delay.max / 1e6;
  assert.ok(
    longest < 150,
    `${longest} ms, allowed three times the time for machines that are busy`,
  );
  const memories = new Set(blobs.values().map(({ buffer }) => buffer));
  assert.ok(memories.size < 40, `${memories.size} memories for ${blobs.size} contents`);
  for (const [path, { hash: name }] of Object.entries(manifest.files)) {
    assert.equal(hash('sha256', blobs.get(name) ?? '', 'hex'), name, path);
  }
});

test('a build that takes too long, or too much memory, ends as a problem', async () => {
  const document = inputOf(largeDocument(500));
  const slow = await runBuild(document, silent, never, { deadline: 50, heap: 1_024 });
  assert.ok('problems' in slow);
  assert.match(slow.problems[0]?.message ?? '', /too complex to be built in the time/);
  const large = await runBuild(document, silent, never, { deadline: 60_000, heap: 24 });
  assert.ok('problems' in large);
  assert.match(large.problems[0]?.message ?? '', /too complex to be built in the memory/);
});

test('an archive that takes too long is told of its guides, whatever is in it', async () => {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: T' },
    { name: 'a.md', content: '_a*'.repeat(300_000) },
  ]);
  const input: BuildInput = { kind: 'zip', bytes, name: 'docs.zip' };
  const result = await runBuild(input, silent, never, { deadline: 2_000, heap: 1_024 });
  assert.ok('problems' in result);
  assert.match(result.problems[0]?.message ?? '', /^The archive takes too long to build/);
});

test('a build that is called off rejects and leaves nothing running', async () => {
  const controller = new AbortController();
  const building = runBuild(inputOf(largeDocument(500)), silent, controller.signal);
  setTimeout(() => controller.abort(new Error('stop')), 200);
  await assert.rejects(building, /stop/);
});
