import { collectGarbage } from '@petstore/service/collect-garbage.ts';

/** How often to check the memory, in milliseconds. */
const INTERVAL_MS = 20_000;

/** By how much the process must have grown since the last time, in bytes: a process at rest is left alone. */
const GROWTH = 8_000_000;

/**
 * Returns memory to the system after a start, a deploy or many requests. An idle V8 keeps it: a fifth of this process.
 * It takes a tenth of a second. The returned function stops it.
 */
export function startMemoryTrimming(): () => Promise<void> {
  let last = 0;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() < last + GROWTH) return;
    // V8's own last resort before it fails: it frees unused compiled code and empty pages.
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    last = process.memoryUsage.rss();
  }, INTERVAL_MS).unref();
  return async () => clearInterval(timer);
}

/** Bytes of buffers between two minor collections. */
const PASSED = 8_000_000;

let passed = 0;

/** Counts the bytes of buffers in transit. They are outside of V8's heap, which would let 64 MB of them pile up. */
export function countBufferBytes(bytes: number): void {
  passed += bytes;
  if (passed < PASSED) return;
  passed = 0;
  collectGarbage({ type: 'minor' });
}
