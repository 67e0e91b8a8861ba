import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { env, execPath, stdout } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Mutant } from './mutant.ts';
import { compilable, mutantsOf } from './mutants.ts';
import { AREAS, type Area } from './mutation-areas.ts';

// npm run mutate [-- --only AREA] [FILE…]: tries small changes of the product's rules, and reports those that no test
// notices. Fails where tests notice less than they should. docs/testing.md has the scores.

/** Of 100 mutants of an area, how many tests have to notice. */
const THRESHOLD = 85;

/** Tried at once. */
const AT_ONCE = 2;

/** How much longer tests may take with a mutant, which may be an endless loop. */
const SLOWER = 4;
const SLOWER_MS = 5_000;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOOK = fileURLToPath(new URL('./mutant-hook.ts', import.meta.url));

/** Gone at the end: what tests leave behind, and what Node compiles. */
const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
const COMPILED = join(folder, 'compiled');

interface TestFile {
  readonly name: string;
  readonly tookMs: number;
  /** What ran of each source, by its URL: once for each thread and process that loaded it. */
  readonly ran: ReadonlyMap<string, readonly (readonly Range[])[]>;
}

/** From where to where code ran so often, as V8 tells it: ranges lie in each other, and the innermost counts. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Attempt {
  readonly url: string;
  readonly mutant: Mutant;
}

/** Whether a file of tests passes. What it leaves in the temporary folder is removed when all is done. */
function passes(
  name: string,
  limitMs: number,
  variables: Record<string, string>,
  attempt?: Attempt,
): Promise<boolean> {
  const args = ['--test-reporter=tap', '--test-skip-pattern=\\[PostgreSQL\\]'];
  if (attempt) args.push('--import', HOOK);
  const child = spawn(execPath, [...args, name], {
    cwd: ROOT,
    env: { ...env, TMPDIR: folder, MUTANT: JSON.stringify(attempt ?? null), ...variables },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const kill = () => {
    resolve(false);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(kill, limitMs);
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    if (/^ *not ok /m.test(output)) kill();
  });
  child.on('close', (code) => {
    clearTimeout(timer);
    resolve(code === 0);
  });
  return promise;
}

/** Runs a file of tests without a mutant: once to learn how long it takes, once to learn what it runs. */
async function learn(name: string): Promise<TestFile> {
  const begun = performance.now();
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const limitMs = 300_000;
  const isGood = await passes(name, limitMs, { NODE_COMPILE_CACHE: COMPILED });
  const tookMs = performance.now() - begun;
  if (!isGood || !(await passes(name, limitMs, { NODE_V8_COVERAGE: coverage }))) {
    throw new Error(`${name} fails as it is.`);
  }
  const ran = new Map<string, Range[][]>();
  for (const report of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      const ranges = functions.flatMap((it) => it.ranges);
      ran.set(url, [...(ran.get(url) ?? []), ranges]);
    }
  }
  return { name, tookMs, ran };
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

function runs({ ran }: TestFile, { url, mutant }: Attempt): boolean {
  const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset;
  return (ran.get(url) ?? []).some((ranges) => {
    const [innermost] = ranges
      .filter((it) => it.startOffset <= mutant.start && mutant.start < it.endOffset)
      .sort((a, b) => size(a) - size(b));
    return innermost !== undefined && innermost.count > 0;
  });
}

/** Whether a file of tests fails with the mutant. */
async function isNoticed(attempt: Attempt, tests: readonly TestFile[]): Promise<boolean> {
  for (const { name, tookMs } of tests) {
    const limitMs = tookMs * SLOWER + SLOWER_MS;
    if (!(await passes(name, limitMs, { NODE_COMPILE_CACHE: COMPILED }, attempt))) return true;
  }
  return false;
}

/** Does work on each of many things, some at once. */
async function forEach<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const left = things.values();
  const worker = async () => {
    for (const thing of left) await work(thing);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const find = (patterns: readonly string[]) =>
  [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT })))].sort();

/** A mutant in words of one line. */
function inWords(source: string, { start, end, text }: Mutant): string {
  const short = (code: string) => code.replace(/\s+/g, ' ').trim().slice(0, 100) || '(nothing)';
  return `${short(source.slice(start, end))} → ${short(text)}`;
}

interface Score {
  readonly area: string;
  readonly mutants: number;
  readonly noticed: number;
}

/** Tries the mutants of an area, of all its files or some. */
async function tryArea(area: Area, only: readonly string[]): Promise<Score> {
  const isWanted = (path: string) => only.length === 0 || only.some((end) => path.endsWith(end));
  const files = find(area.sources)
    .filter(isWanted)
    .map((name) => {
      const path = join(ROOT, name);
      const source = readFileSync(path, 'utf8');
      return { path, source, mutants: mutantsOf(source) };
    });
  const tests: TestFile[] = [];
  await forEach(find(area.tests), async (name) => void tests.push(await learn(name)));
  tests.sort((a, b) => a.tookMs - b.tookMs);
  const attempts = compilable(files, join(ROOT, 'tsconfig.json')).flatMap(
    ({ path, source, mutants }) =>
      mutants.map((mutant) => ({ path, source, mutant, url: pathToFileURL(path).href })),
  );
  let mutants = 0;
  let noticed = 0;
  await forEach(attempts, async ({ path, source, ...attempt }) => {
    const words = inWords(source, attempt.mutant);
    const before = source.slice(0, attempt.mutant.start).split('\n');
    const line = source.split('\n')[before.length - 1] ?? '';
    const isEquivalent = area.equivalents.some(
      (it) => path.endsWith(it.file) && line.includes(it.line) && it.mutants.includes(words),
    );
    if (isEquivalent) return;
    mutants++;
    const running = tests.filter((test) => runs(test, attempt));
    if (await isNoticed(attempt, running)) {
      noticed++;
      return;
    }
    const note = running.length === 0 ? ' (no test runs it)' : '';
    stdout.write(`${relative(ROOT, path)}:${before.length}: ${words}${note}\n`);
  });
  return { area: area.name, mutants, noticed };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true } },
});
try {
  const scores: Score[] = [];
  for (const area of AREAS) {
    if (values.only?.includes(area.name) ?? true) scores.push(await tryArea(area, positionals));
  }
  for (const { area, mutants, noticed } of scores) {
    const percent = (noticed / mutants) * 100;
    stdout.write(`${area}: ${noticed} of ${mutants} mutants noticed, ${percent.toFixed(1)} %\n`);
    if (!(percent >= THRESHOLD)) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
