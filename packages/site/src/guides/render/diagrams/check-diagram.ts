import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadDiagram } from './read-diagram.ts';

/** In letters. Mermaid's slowest parsers take seconds for these, and a minute for twice as many; readers draw them. */
const MOST_LETTERS = 20_000;

/** In milliseconds, for one diagram. Real ones take up to a tenth of a second. */
const DEADLINE = 4_000;

const HEAP_MB = 256;

let thread: Promise<Worker> | undefined;

/**
 * Reads a diagram with Mermaid's own parsers, in a thread that is stopped where one takes too long or too much. Of the
 * diagram or the reason why it cannot be drawn; it never throws for what a diagram says.
 */
export async function checkDiagram(code: string, deadline = DEADLINE): Promise<ReadDiagram> {
  if (code.length > MOST_LETTERS) return refused(`it has more than ${MOST_LETTERS} letters`);
  thread ??= startThread();
  const worker = await thread;
  const signal = AbortSignal.timeout(deadline);
  try {
    worker.postMessage(code);
    const [read] = await once(worker, 'message', { signal });
    return read as ReadDiagram;
  } catch (error) {
    thread = undefined;
    await worker.terminate();
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!signal.aborted && !isTooLarge) throw error;
    return refused(`reading it takes too ${isTooLarge ? 'much memory' : 'long'}`);
  }
}

const refused = (error: string): ReadDiagram => ({ error, line: undefined });

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./diagram-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  await once(worker, 'message');
  // Whoever asked is waited for; the thread itself keeps no process.
  worker.unref();
  return worker;
}
