/** How often is looked whether memory can be given back, in milliseconds. */
const INTERVAL_MS = 20_000;

/** By how much the process must have grown since the last time, in bytes: a process at rest is left alone. */
const GROWTH = 8_000_000;

/**
 * Gives memory back to the system that a start, a deploy or many requests have left behind. V8 keeps what it
 * once had while little is asked of it: a fifth of this process. It takes a tenth of a second, and is done where
 * the process can (`start.js` of `packages/service`). Ends with the function it returns.
 */
export function startMemoryTrimming(): () => Promise<void> {
  let last = 0;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() < last + GROWTH) return;
    // As V8 itself does before it gives up: it lets go of compiled code that is not in use, and of empty pages.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    last = process.memoryUsage.rss();
  }, INTERVAL_MS).unref();
  return async () => clearInterval(timer);
}

/** Bytes of buffers that may pass before those that are done with are let go of. */
const PASSED = 8_000_000;

let passed = 0;

/** Takes note of buffers that pass through. V8 would let 64 MB of them pile up: they lie outside of its heap. */
export function countBufferBytes(bytes: number): void {
  passed += bytes;
  if (passed < PASSED) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor' });
}
