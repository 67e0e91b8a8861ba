import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { BuildLog } from '@petstore/site/build-log.ts';
import { EMPTY_CHANGELOG } from '@petstore/site/changelog/changelog.ts';
import { cleanUp, runAlone } from '@petstore/test-support/clean-up.ts';
import { holdTimers } from '@petstore/test-support/hold-timers.ts';
import { coverNothing, runProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { assertWithin, timeUntil, watchTurns } from '@petstore/test-support/within.ts';
import { unpackBlobs } from '../../../server/src/deploys/build/artifact/pack.ts';
import type { BuildService } from '../../../server/src/deploys/build/build-service.ts';
import type { BuildJob } from '../../../server/src/deploys/build/process/messages.ts';
import {
  type BuildOutcome,
  runBuild,
} from '../../../server/src/deploys/build/process/run-build.ts';
import { DEPLOY_LIMITS, type DeployLimits } from '../../../server/src/deploys/deploy-limits.ts';
import { zipOf } from '../../support/archives.ts';
import { built, contentOf, fixture, silent } from '../../support/build-site.ts';
import { largeDocument } from '../../support/large-document.ts';

coverNothing();
runAlone();

const never = new AbortController().signal;

/** A job with other limits. */
const limited = (job: BuildJob, changes: Partial<DeployLimits>): BuildJob => ({
  ...job,
  limits: { ...DEPLOY_LIMITS, ...changes },
});

/** Writes down what is to be built, as the service does. */
async function jobOf(
  t: Pick<TestContext, 'after'>,
  document: object | Uint8Array,
  kind: BuildJob['kind'] = 'document',
): Promise<BuildJob> {
  const folder = await temporaryFolder(t);
  const bytes = document instanceof Uint8Array ? document : Buffer.from(JSON.stringify(document));
  const source = join(folder, 'source');
  await writeFile(source, bytes);
  const name = kind === 'document' ? 'openapi.json' : `docs.${kind}`;
  const pack = join(folder, 'pack');
  return { kind, name, size: bytes.length, source, pack, compressions: join(folder, 'known') };
}

/** The contents that a build has packed, by hash. */
async function contentsOf(
  { pack }: BuildJob,
  outcome: BuildOutcome,
): Promise<Map<string, Uint8Array>> {
  assert.ok('artifact' in outcome, JSON.stringify(outcome));
  const { blobs } = outcome.artifact;
  const contents = new Map<string, Uint8Array>();
  for await (const [name, bytes] of unpackBlobs(pack, blobs, new Set(blobs.keys()))) {
    contents.set(name, bytes);
  }
  return contents;
}

test('a process builds what this one would, and tells each step as it comes', async (t) => {
  const bytes = await fixture('weather.json');
  const job = await jobOf(t, bytes);
  const messages: string[] = [];
  const outcome = await runBuild(job, ({ message }) => messages.push(message), never);
  assert.ok('artifact' in outcome);
  const contents = await contentsOf(job, outcome);
  const expected = await built(bytes);
  assert.equal(outcome.artifact.hash, expected.hash);
  assert.deepEqual(outcome.artifact.manifest, expected.manifest);
  assert.deepEqual([...contents.keys()].sort(), [...expected.blobs.keys()].sort());
  for (const [name, content] of contents) assert.equal(hash('sha256', content, 'hex'), name);
  const told = messages.join('\n');
  const steps = ['Reading ', 'Checking ', 'The document is ', 'Found 2 operations in 1 tag'];
  assert.match(told, new RegExp(`${[...steps, 'Making ', 'Made \\d+ files'].join('.*')}`, 's'));
});

test('what is wrong with an upload is told in short texts, however long what they quote is', async (t) => {
  const long = `http://${'x'.repeat(1_000_000)}`;
  const names = Array.from({ length: 60 }, (_, i) => `S${i}`);
  const references = names.map((name) => `    ${name}: { $ref: *long }`).join('\n');
  const yaml = `openapi: 3.1.0
info: { title: x, version: '1' }
paths: {}
x-long: &long "${long}"
components:
  schemas:
${references}
`;
  const parameters = names.map((name) => ({ name, in: 'query', schema: {}, [`nope-${name}`]: 1 }));
  const json = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { [`/${long}`]: { get: { parameters, responses: {} } } },
  };
  const guides = zipOf([
    { name: 'docs.yaml', content: 'title: x\n' },
    {
      name: 'a.md',
      content: `${'[x] '.repeat(60)}\n\n[x]: <b${'y'.repeat(100_000)}.md>\n`,
    },
  ]);
  const jobs = [
    { ...(await jobOf(t, Buffer.from(yaml))), name: 'openapi.yaml' },
    await jobOf(t, json),
    await jobOf(t, guides, 'zip'),
  ];
  for (const job of jobs) {
    const lines: unknown[] = [];
    const outcome = await runBuild(job, (line) => lines.push(line), never);
    const told = [...('problems' in outcome ? outcome.problems : []), ...lines];
    assert.ok(told.length > 1);
    const size = Buffer.byteLength(JSON.stringify(told));
    assert.ok(size < 100_000, `${size} bytes: ${JSON.stringify(told[0]).slice(0, 200)}`);
  }
});

test('small builds share a process; one that was given up, or was large, is not taken again', async (t) => {
  const bytes = await fixture('weather.json');
  // Another test's may end at any time.
  const others = builders();
  const own = () => builders().filter((pid) => !others.includes(pid));
  const build = async (
    document: object | Uint8Array,
    buildSeconds = 60,
    kind: BuildJob['kind'] = 'document',
  ) => {
    const before = own();
    const job = await jobOf(t, document, kind);
    const result = await runBuild(
      limited(job, { buildSeconds, buildMemory: 1_024 }),
      silent,
      never,
    );
    const manifest = 'artifact' in result && result.artifact.manifest;
    return {
      result,
      manifest,
      isNew: !own().every((pid) => before.includes(pid)),
      left: own(),
    };
  };
  const first = await build(bytes);
  const second = await build(bytes);
  assert.deepEqual(second.left, first.left);
  assert.deepEqual(second.manifest, first.manifest);

  const broken = await build({ openapi: '3.1.0' });
  assert.ok('problems' in broken.result);
  assert.deepEqual(broken.left, first.left, 'a document with problems leaves nothing behind');

  const given = await build(largeDocument(500), 0.02);
  assert.ok('problems' in given.result);
  assert.equal(given.left.length, first.left.length - 1);
  const afterGivenUp = await build(bytes);
  assert.ok(afterGivenUp.isNew);
  assert.deepEqual(afterGivenUp.manifest, first.manifest);

  const large = { ...JSON.parse(`${bytes}`), 'x-padding': 'x'.repeat(1_000_000) };
  const afterLarge = await build(large);
  assert.ok('artifact' in afterLarge.result);
  assert.equal(afterLarge.left.length, afterGivenUp.left.length - 1);

  // In few bytes, since it is compressed.
  const content = JSON.stringify({ ...largeDocument(500), 'x-padding': 'x'.repeat(3_000_000) });
  const archive = zipOf([{ name: 'openapi.json', content }]);
  const afterSmallArchive = await build(archive, 60, 'zip');
  assert.ok(archive.length < 1_000_000 && 'artifact' in afterSmallArchive.result);
  assert.equal(afterSmallArchive.left.length, afterLarge.left.length);
});

/** The processes that build for this one (Linux). */
function builders(): string[] {
  return children().filter((pid) => commandOf(pid).includes('build-process.ts'));
}

function children(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
}

function commandOf(pid: string | number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time of the processes that build or have, all threads, in milliseconds: whatever else the machine does. */
function builderTime(): number {
  // proc(5): fields 14 and 15, and 16 and 17 of children that have ended.
  const ended = timesOf('self').slice(2);
  // One that was killed has no command, and is none of those until this process has noticed.
  const own = children().filter((pid) => /^$|build-process\.ts/.test(commandOf(pid)));
  const ticks = [...own.flatMap((pid) => timesOf(pid).slice(0, 2)), ...ended];
  return ticks.reduce((sum, one) => sum + one, 0) * MS_PER_TICK;
}

function timesOf(pid: string): number[] {
  // Counted after the name, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).map(Number);
}

/** sysconf(_SC_CLK_TCK) is 100 wherever Linux runs. */
const MS_PER_TICK = 10;

test('500 operations are built in ten seconds', async (t) => {
  const job = await jobOf(t, largeDocument(500));
  await assertWithin(10_000, async () => {
    const before = builderTime();
    const outcome = await runBuild(job, silent, never);
    assert.ok('artifact' in outcome, JSON.stringify(outcome));
    const paths = Object.keys(outcome.artifact.manifest.files);
    assert.equal(paths.filter((path) => /^\/reference\/group.*Thing\d+$/.test(path)).length, 500);
    const took = builderTime() - before;
    assert.ok(took > 1_000, `${took} ms were measured`);
    return took;
  });
});

test('nobody is held up while a site of a thousand files is handed over', async (t) => {
  const job = await jobOf(t, largeDocument(400));
  let turns: ReturnType<typeof watchTurns> | undefined;
  const noteEnd: BuildLog = ({ message }) => {
    // The last that is said before the files come.
    if (/^Made .* compressed$/.test(message)) turns = watchTurns();
  };
  const outcome = await runBuild(job, noteEnd, never);
  const contents = await contentsOf(job, outcome);
  const longest = turns?.end() ?? Infinity;
  assert.ok(longest < 50, `${longest} ms`);
  assert.ok('artifact' in outcome);
  const files = Object.entries(outcome.artifact.manifest.files);
  assert.ok(files.length > 1_000, `${files.length} files`);
  for (const [path, entry] of files) {
    assert.equal(hash('sha256', contentOf(entry, contents), 'hex'), entry.hash, path);
  }
});

test('a build that takes too long, or too much memory, ends as a problem', async (t) => {
  const job = await jobOf(t, largeDocument(500));
  const give = async (limits: Partial<DeployLimits>, given = job) => {
    const outcome = await runBuild(limited(given, limits), silent, never);
    assert.ok('problems' in outcome, 'it was built');
    return outcome.problems[0]?.message ?? '';
  };
  assert.match(
    await give({ buildSeconds: 0.05 }),
    /too complex to be built in the time .* The limit is 0\.05 seconds; .*DASHBOARD_BUILD_SECONDS/,
  );
  const inMemory = /too complex to be built in the memory .*150 MB; .*DASHBOARD_BUILD_MEMORY_MB/;
  assert.match(await give({ buildMemory: 150 }), inMemory);
  // The heap alone: with what is outside of it there is still room.
  const info = { title: 'T', version: '1' };
  const objects = {
    openapi: '3.1.0',
    info,
    'x-all': Array.from({ length: 6_000_000 }, () => ({})),
  };
  assert.match(await give({ buildMemory: 600 }, await jobOf(t, objects)), /in the memory .*600 MB/);
});

test('an archive that takes too long is told of its guides, whatever is in it', async (t) => {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: T' },
    { name: 'a.md', content: '_a*'.repeat(300_000) },
  ]);
  const job = await jobOf(t, bytes, 'zip');
  const outcome = await runBuild(limited(job, { buildSeconds: 0.5 }), silent, never);
  assert.ok('problems' in outcome);
  assert.match(outcome.problems[0]?.message ?? '', /^The archive takes too long to build/);
});

test('what a comparison takes is not the time of the build, which goes on with its changelog', async (t) => {
  const job = await jobOf(t, await fixture('weather.json'));
  const buildSeconds = 3_000;
  // That of the build alone is so long, and what is left of it.
  const clocks = holdTimers(t, (ms) => ms > 1_000_000 && ms <= 1_000 * buildSeconds);
  let ahead = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + ahead);
  const asked: unknown[] = [];
  const running: number[] = [];
  const note = () => running.push(clocks.length);
  const service: BuildService = {
    async isKnown() {
      note();
      return false;
    },
    async changelogFor(documents) {
      asked.push(documents);
      await new Promise(setImmediate);
      note();
      ahead = 2_000 * buildSeconds;
      return EMPTY_CHANGELOG;
    },
  };
  const noteEnd: BuildLog = ({ message }) => {
    if (/^Made .* compressed$/.test(message)) note();
  };
  const outcome = await runBuild(limited(job, { buildSeconds }), noteEnd, never, service);
  assert.ok('artifact' in outcome, JSON.stringify(outcome));
  assert.deepEqual(running, [1, 0, 1], 'its time stands still while it is compared, and goes on');
  const { hash: published } = outcome.artifact.manifest.files['/openapi.json'] ?? {};
  assert.deepEqual(asked, [[{ address: '', hash: published }]]);
});

test('a build that cannot store its files rejects and says why, and the next one has another process', async (t) => {
  const job = await jobOf(t, await fixture('weather.json'));
  await assert.rejects(runBuild({ ...job, pack: '/dev/full' }, silent, never), /ENOSPC/);
  const pack = join(job.pack, 'missing');
  await assert.rejects(runBuild({ ...job, pack }, silent, never), /ENOENT.*missing/);
  assert.ok('artifact' in (await runBuild(job, silent, never)));
});

test('a process that the system cannot start is an error of its build, and of nothing else', async (t) => {
  const job = await jobOf(t, await fixture('weather.json'));
  const program = join(import.meta.dirname, 'support/start-no-process.ts');
  const script = 'ulimit -n 200; exec "$0" "$@"';
  const command = ['-c', script, process.execPath, program, JSON.stringify(job)];
  const outcome = await runProgram('sh', command, import.meta.dirname);
  assert.deepEqual(outcome, { code: 0, stdout: 'ENOENT EMFILE artifact\n', stderr: '' });
});

test('a build that is called off rejects and leaves nothing running', async (t) => {
  const before = builders();
  const job = await jobOf(t, largeDocument(500));
  const controller = new AbortController();
  const stop: BuildLog = () => controller.abort(new Error('stop'));
  const building = runBuild(job, stop, controller.signal);
  await assert.rejects(building, /stop/);
  assert.deepEqual(
    builders().filter((pid) => !before.includes(pid)),
    [],
  );
});

test('a process whose build is done waits twenty seconds for another, and then ends', async (t) => {
  const before = builders();
  // Those of no other test, so that no process of one is taken.
  const limits = { buildMemory: 1_023 };
  const build = async () => {
    const job = await jobOf(t, await fixture('weather.json'));
    await runBuild(limited(job, limits), silent, never);
    return builders().filter((pid) => !before.includes(pid));
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const kept = await build();
  t.mock.timers.tick(19_999);
  assert.deepEqual(await build(), kept, 'it built that, too');
  t.mock.timers.tick(20_000);
  t.mock.timers.reset();
  await timeUntil(async () => !kept.some((pid) => builders().includes(pid)));
});

test("the process of a build knows none of the service's secrets", async (t) => {
  process.env.DASHBOARD_SECRET_KEY = 'a secret';
  cleanUp(t, () => delete process.env.DASHBOARD_SECRET_KEY);
  const before = builders();
  // That of no other test, so that it begins now.
  const job = limited(await jobOf(t, await fixture('weather.json')), { buildMemory: 1_022 });
  await runBuild(job, silent, never);
  const [pid, ...others] = builders().filter((one) => !before.includes(one));
  assert.deepEqual(others, []);
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8');
  assert.match(variables, /NODE_CHANNEL_FD=/);
  assert.doesNotMatch(variables, /SECRET/);
});

test('of what was built before nothing is read, rendered or packed', async (t) => {
  const pages = Array.from({ length: 500 }, (_, at) => ({
    name: `guides/${at}.md`,
    content: `# Guide ${at}\n\nText.\n`,
  }));
  const document = { name: 'openapi.json', content: JSON.stringify(largeDocument(500)) };
  const config = { name: 'docs.yaml', content: 'title: Large\nopenapi: openapi.json\n' };
  const job = await jobOf(t, zipOf([config, document, ...pages]), 'zip');
  const again = await jobOf(t, zipOf([...pages, document, config]), 'zip');
  const keys: string[] = [];
  const service: BuildService = {
    isKnown: async (key) => keys.push(key) > 1,
    changelogFor: async () => EMPTY_CHANGELOG,
  };
  assert.ok('artifact' in (await runBuild(job, silent, never, service)));
  const lines: string[] = [];
  const outcome = await runBuild(again, ({ message }) => lines.push(message), never, service);
  assert.deepEqual(outcome, { isKnown: true });
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(lines, ['Unpacking the archive.', 'The archive holds 502 files.']);
  assert.equal(existsSync(again.pack), false);

  // What else a build depends on.
  const publication = { origin: 'https://docs.example.com' };
  await runBuild({ ...again, publication }, silent, never, service);
  await runBuild(limited(again, { site: { bytes: 1, files: 1 } }), silent, never, service);
  await runBuild({ ...again, document: 'openapi.json' }, silent, never, service);
  assert.equal(new Set(keys).size, 4);
});
