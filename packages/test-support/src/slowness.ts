import { setTimeout as sleep } from 'node:timers/promises';

// How much slower this machine is than the one on which the limits of tests are chosen, by a piece of work that is always
// the same. So a limit tells what is slow of the code, and not of the machine.

/** What a round takes there, and what it takes with a short wait after it, in milliseconds. */
const ROUND_MS = 2.6;
const PAUSED_ROUND_MS = 4;

const ROUNDS = 30;

/** For the compiler to know the work, as it knows what is measured. */
const WARM_UP = 5;

/** The processor's time that this thread took since `from`, in milliseconds. */
export function cpuTimeSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
}

let ofCore: number | undefined;

/** How many times as long a core takes for its work, 1 at least. What else the machine does is left out. */
export function slownessOfCore(): number {
  ofCore ??= measureCore();
  return ofCore;
}

function measureCore(): number {
  for (let round = 0; round < WARM_UP; round++) doRound();
  const from = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round++) doRound();
  return Math.max(1, cpuTimeSince(from) / ROUNDS / ROUND_MS);
}

/** How many times as long this process takes just now for work with waits in between, 1 at least. */
export async function slownessNow(): Promise<number> {
  const begun = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    doRound();
    await sleep(1);
  }
  return Math.max(1, (performance.now() - begun) / ROUNDS / PAUSED_ROUND_MS);
}

/** Numbers, texts and a table: some of everything that a program does. */
function doRound(): number {
  const counts = new Map<string, number>();
  for (let at = 0, x = 1; at < 40_000; at++) {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) | 0;
    const key = `k${x & 1_023}`;
    counts.set(key, (counts.get(key) ?? 0) + key.length);
  }
  return counts.size;
}
