import { readdirSync, readFileSync } from 'node:fs';
import type { run } from 'node:test';
import { CLAIMS } from './whole-run.ts';

// Ends a whole run in which nothing happens any more, and says what it waits for. Each file has a watchdog of its own,
// which goes with its process: it does not help when a process stays as it ends, or when what a file left behind holds its
// output, for which Node waits.

/** How long no test of any file may begin or end: longer than a file's own watchdog takes. */
const SILENCE_MS = 2 * Number(process.env.TEST_SILENCE_MS ?? 170_000);

/** How long a process may take to start and load what it runs, however short a silence the tests of this look for. */
const START_MS = Math.max(SILENCE_MS, 60_000);

/** How long the run may take to tell of what was killed. */
const LEAVE_MS = 20_000;

/** As they come, and not when it is the turn of their file to be told. */
const PROGRESS = ['test:complete', 'test:stderr', 'test:summary'] as const;

/** Watches a run from now on. Gives what to call when it has ended. */
export function watchRun(events: ReturnType<typeof run>): () => void {
  let timer: NodeJS.Timeout | undefined;
  const goOn = (limitMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(endRun, limitMs, limitMs);
  };
  for (const name of PROGRESS) events.on(name, () => goOn(SILENCE_MS));
  // Node starts a process for what has the name of a file.
  events.on('test:dequeue', ({ name, file }) => goOn(name === file ? START_MS : SILENCE_MS));
  goOn(SILENCE_MS);
  return () => clearTimeout(timer);
}

function endRun(limitMs: number): void {
  const left = processesOfRun();
  const what = `no test began or ended for ${limitMs / 1_000} s`;
  process.stderr.write(`The run does not end: ${what}. It waits for:\n${left.map(tell).join('')}`);
  process.exitCode = 1;
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {} // It has just ended.
  }
  setTimeout(() => process.exit(), LEAVE_MS);
}

/** Whoever has the folder of this run in its environment: also what is nobody's child any more (Linux). */
export function processesOfRun(): number[] {
  const variable = `${CLAIMS}=${process.env[CLAIMS]}\0`;
  const pids = read(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  const isOurs = (pid: string) => read(() => text(`${pid}/environ`), '').includes(variable);
  return pids.filter(isOurs).map(Number);
}

/** A process with its threads, and what each waits for in the kernel. */
function tell(pid: number): string {
  const command = read(() => text(`${pid}/cmdline`), '').replaceAll('\0', ' ');
  const threads = read(() => readdirSync(`/proc/${pid}/task`), []).map((id) => {
    const of = (name: string) => read(() => text(`${pid}/task/${id}/${name}`), '').trim();
    const state = /^State:\s*(\w)/m.exec(of('status'))?.[1];
    return `    the thread ${of('comm')}: ${state} ${of('wchan')}\n`;
  });
  return `  the process ${pid}: ${command}\n${threads.join('')}`;
}

function text(path: string): string {
  return readFileSync(`/proc/${path}`, 'utf8');
}

/** What is not there any more, or nobody else's to read, is left out. */
function read<Read>(get: () => Read, otherwise: Read): Read {
  try {
    return get();
  } catch {
    return otherwise;
  }
}
