import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, type SuiteContext, type TestContext } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';

// Ends a file of tests in which nothing happens any more, and says what it waits for. A limit for each test is not
// enough: it does not end a process that waits for a child, or for a socket, when its tests are done. Loaded by
// `clean-up.ts`, and by each file of tests in one way or another, so that it is there however a file is run.

/** How long no test may begin or end. Longer than what a test may take in a whole run, so that its limit tells first. */
const SILENCE_MS = Number(process.env.TEST_SILENCE_MS ?? 170_000);

/** How long a file may go on when its tests and what they clean up are done. */
const LEAVE_MS = Number(process.env.TEST_LEAVE_MS ?? 20_000);

/** How long the file's own thread has to say what it waits for, before it is taken for busy. */
const REPORT_MS = Math.min(5_000, SILENCE_MS);

let [, file = 'a file of tests'] = process.argv;
const running = new Set<string>();

/** Helpers that wait for this process, which does not wait for them. */
const helpers = new Set<number>();

/** A process that is not named among what the file waits for. */
export function isNotWaitedFor(pid: number): void {
  helpers.add(pid);
}

/** Counts the tests that began or ended; and how long nothing may follow, in milliseconds. */
const progress = new Int32Array(new SharedArrayBuffer(8));
progress[1] = SILENCE_MS;

/** Where the thread below learns of the file that is busy, since the file's own cannot tell it then. */
const names = new MessageChannel();
names.port1.unref();

/** Gives what to call when nothing is left to be done in the file that is watched now. */
export function doneWatching(): () => void {
  const done = file;
  return () => {
    // The next one may have begun already.
    if (file !== done) return;
    progress[1] = LEAVE_MS;
    tick();
  };
}

/** Says which file the tests that follow are in, where a process has more than one. */
export function watchFile(name: string): void {
  file = name;
  names.port1.postMessage(name);
  progress[1] = SILENCE_MS;
  tick();
}

/** A thread of its own, since the file's may be in an endless loop. */
const THREAD = `
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { progress, names, reportMs } = workerData;
let { file } = workerData;
const never = new Int32Array(new SharedArrayBuffer(4));
let seen = Atomics.load(progress, 0);
// A wait ends at once where the process stood still for as long: that costs one of ten.
for (let silent = 0; silent < 10; ) {
  if (Atomics.wait(progress, 0, seen, progress[1] / 10) === 'timed-out') silent += 1;
  else {
    silent = 0;
    seen = Atomics.load(progress, 0);
  }
}
parentPort.postMessage('report');
Atomics.wait(never, 0, 0, reportMs);
for (let next; (next = receiveMessageOnPort(names)); ) file = next.message;
writeSync(2, file + ' does not end: it is busy, and is killed.\\n');
process.kill(process.pid, 'SIGKILL');
`;

// The process of a whole run loads this with what all files share, and has no tests of its own. Node sets the
// variable for each file that it runs.
if (process.env.NODE_TEST_CONTEXT !== undefined) watch();

function watch(): void {
  const thread = new Worker(THREAD, {
    eval: true,
    env: {},
    workerData: { progress, file, names: names.port2, reportMs: REPORT_MS },
    transferList: [names.port2],
  });
  thread.on('message', report);
  thread.unref();
  beforeEach((t) => {
    running.add(nameOf(t));
    progress[1] = SILENCE_MS;
    tick();
  });
  afterEach((t) => {
    running.delete(nameOf(t));
    tick();
  });
}

function tick(): void {
  Atomics.add(progress, 0, 1);
  Atomics.notify(progress, 0);
}

function nameOf(t: TestContext | SuiteContext): string {
  return t.fullName;
}

function report(): void {
  const [, limitMs = 0] = progress;
  const lines = [
    `${file} does not end: none of its tests began or ended for ${limitMs / 1_000} s. It waits for:`,
    ...[...running].map((name) => `  the test "${name}"`),
    ...children().map(({ pid, command }) => `  the process ${pid}: ${command}`),
    ...resources().map((line) => `  ${line}`),
  ];
  process.stderr.write(`${lines.join('\n')}\n`, () => process.exit(1));
}

/** What keeps the process from ending, as Node calls it, with how many there are of each. */
function resources(): string[] {
  const counts = Map.groupBy(process.getActiveResourcesInfo(), (name) => name);
  return [...counts].map(([name, { length }]) => `${length} ${name}`);
}

/** The children of this process and what they start, where the machine tells (Linux). */
function children(): { pid: number; command: string }[] {
  const parents = new Map<number, number>();
  try {
    for (const entry of readdirSync('/proc')) {
      if (/^\d+$/.test(entry)) parents.set(Number(entry), parentOf(entry));
    }
  } catch {
    return [];
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  const found = [...parents.keys()].filter((pid) => isOurs(pid) && !helpers.has(pid));
  return found.map((pid) => ({ pid, command: commandOf(pid) }));
}

function parentOf(pid: string): number {
  try {
    // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the fourth, behind a name in brackets.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0; // It has just ended.
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return 'it has just ended';
  }
}
