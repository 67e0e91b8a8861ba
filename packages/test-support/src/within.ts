import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTimeSince, slownessNow, slownessOfCore } from './slowness.ts';

const ATTEMPTS = 5;

/**
 * Measures something, up to five times, and asserts that it took less than `limitMs` once. A machine that has
 * other work makes it longer and never shorter: what is too slow by itself is too slow each time. So whatever it
 * measures must be at its worst by construction, not by chance. `measure` gives milliseconds. The limit is one of the
 * machine on which it was chosen: where this one is slower just now, or has other work, it is as many times longer.
 */
export async function assertWithin(
  limitMs: number,
  measure: () => Promise<number> | number,
  what = 'it',
): Promise<void> {
  const took: string[] = [];
  while (took.length < ATTEMPTS) {
    const ms = await measure();
    if (ms < limitMs) return;
    const slowness = await slownessNow();
    if (ms < limitMs * slowness) return;
    took.push(`${ms.toPrecision(3)} (of a machine ${slowness.toFixed(1)} times as slow)`);
  }
  assert.fail(`${what} took ${took.join(', ')} ms, each time ${limitMs} ms or more`);
}

/** Asserts the same of a time that was measured, where that cannot be done again. */
export async function assertTook(ms: number, limitMs: number, what = 'it'): Promise<void> {
  if (ms < limitMs) return;
  const slowness = await slownessNow();
  const said = `${what} took ${ms.toPrecision(3)} ms, not less than ${limitMs} ms`;
  assert.ok(ms < limitMs * slowness, `${said} (of a machine ${slowness.toFixed(1)} times as slow)`);
}

/** How long work takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/**
 * How long this thread works at something, in milliseconds of the machine on which limits are chosen; what else the
 * machine does is left out.
 */
export function cpuTimeOf(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  return cpuTimeSince(from) / slownessOfCore();
}

/** The same for requests to a service in this thread. */
export async function cpuTimeOfRequest(work: () => Promise<unknown>): Promise<number> {
  const from = process.threadCpuUsage();
  await work();
  return cpuTimeSince(from) / slownessOfCore();
}

/**
 * Watches how long this thread works without a pause, from now until `end`, which gives the longest such time in
 * milliseconds: so long, whoever else is served by the thread waited. What else the machine does is left out.
 */
export function watchTurns(): { end: () => number } {
  let from = process.threadCpuUsage();
  let longest = 0;
  let turn = setImmediate(function note() {
    longest = Math.max(longest, cpuTimeSince(from));
    from = process.threadCpuUsage();
    turn = setImmediate(note);
  });
  return {
    end: () => {
      clearImmediate(turn);
      return longest / slownessOfCore();
    },
  };
}

/** How long a machine that is slow or does other things is waited for, in milliseconds. Less than a test may take. */
export const PATIENCE_MS = 140_000;

/** The longest wait between two looks, in milliseconds. */
const LOOK_MS = 50;

/** The clock as it was when this module was loaded: a test may hold the other one. */
const now = performance.now.bind(performance);

/**
 * How long it takes until something is so, in milliseconds, a tenth at most too long. Rejects where it never is. Looks
 * less often the longer it takes: looking slows down what is being waited for.
 */
export async function timeUntil(isSo: () => Promise<boolean>): Promise<number> {
  const begun = now();
  while (!(await isSo())) {
    const ms = now() - begun;
    assert.ok(ms < PATIENCE_MS, 'it never was so');
    await sleep(Math.min(LOOK_MS, 2 + ms / 10));
  }
  return now() - begun;
}
