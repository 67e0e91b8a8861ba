import type { TestContext } from 'node:test';

/** The longest timer there is, in milliseconds. */
const NEVER_MS = 2 ** 31 - 1;

/** A timer that ends when the test says so. */
interface HeldTimer {
  readonly ms: number;
  readonly end: () => void;
}

/**
 * Holds the timers of these lengths, or of those that a function picks, that begin from now on, for the rest of the
 * test. Returns those that are neither cleared nor ended, oldest first. All other timers run. For tests that call
 * `fetch`: under `t.mock.timers` it leaves timers behind, and whoever clears one of them under a later mock of the
 * process takes a timer out of that (Node 24: its `reset` does not forget their places in its queue).
 */
export function holdTimers(
  t: TestContext,
  lengths: readonly number[] | ((ms: number) => boolean),
): readonly HeldTimer[] {
  const isHeld = typeof lengths === 'function' ? lengths : (ms: number) => lengths.includes(ms);
  const held: (HeldTimer & { readonly timer: NodeJS.Timeout })[] = [];
  const { setTimeout: start, clearTimeout: clear } = globalThis;
  const drop = (timer: unknown) => {
    const at = held.findIndex((one) => one.timer === timer);
    if (at >= 0) held.splice(at, 1);
  };
  const hold = (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (!isHeld(ms)) return start(work, ms, ...args);
    const timer = start(() => undefined, NEVER_MS);
    const end = () => {
      clear(timer);
      drop(timer);
      work(...args);
    };
    held.push({ timer, ms, end });
    return timer;
  };
  t.mock.method(globalThis, 'setTimeout', hold as typeof setTimeout);
  t.mock.method(globalThis, 'clearTimeout', (timer?: Parameters<typeof clear>[0]) => {
    drop(timer);
    clear(timer);
  });
  return held;
}
