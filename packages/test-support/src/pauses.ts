import { processesOfRun } from './run-watch.ts';

/** How often a process is paused, in milliseconds. */
const EVERY_MS = 25;

/** The shortest and the longest pause, in milliseconds: what a process waits for a busy machine now and then. */
const SHORTEST_MS = 20;
const LONGEST_MS = 250;

/** How many pauses there are until it is looked again which processes there are. */
const PAUSES_A_LOOK = 10;

/**
 * Pauses one process of this run after another for a moment, any of them: a test that relies on who is first then fails
 * soon. Not this process. On Linux only. Tests that pause processes themselves may find them awake too early.
 */
export function startPauses(): { stop: () => void } {
  const paused = new Map<number, NodeJS.Timeout>();
  let pids: number[] = [];
  let pauses = 0;
  const wake = (pid: number) => {
    clearTimeout(paused.get(pid));
    paused.delete(pid);
    signal(pid, 'SIGCONT');
  };
  const timer = setInterval(() => {
    if (pauses++ % PAUSES_A_LOOK === 0) pids = processesOfRun();
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined || pid === process.pid || paused.has(pid)) return;
    signal(pid, 'SIGSTOP');
    const ms = SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS);
    paused.set(pid, setTimeout(wake, ms, pid));
  }, EVERY_MS);
  const stop = () => {
    clearInterval(timer);
    for (const pid of paused.keys()) wake(pid);
  };
  // Whoever ends the run early would leave processes that stand still for ever.
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      stop();
      process.kill(process.pid, name);
    });
  }
  return { stop };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {} // It has just ended.
}
