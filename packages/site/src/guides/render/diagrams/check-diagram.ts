import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadDiagram } from './read-diagram.ts';

/** In letters. Mermaid's slowest parsers take seconds for these, and a minute for twice as many; readers draw them. */
const MAX_LETTERS = 20_000;

/** Half of those letters, in short lines, would keep a browser busy for as long. */
const MAX_LINES = 1_000;

/** Of a mind map, whose nodes all push each other away: a browser takes seconds for these, and minutes for more. */
const MAX_MIND_MAP_LINES = 250;

/** In milliseconds, for one diagram. Real ones take up to a tenth of a second. */
const DEADLINE = 4_000;

const HEAP_MB = 256;

let thread: Promise<Worker> | undefined;

/**
 * Reads a diagram with Mermaid's own parsers, in a thread that is stopped where one takes too long or too much. Of the
 * diagram or the reason why it cannot be drawn; it never throws for what a diagram says.
 */
export async function checkDiagram(code: string, deadline = DEADLINE): Promise<ReadDiagram> {
  if (code.length > MAX_LETTERS) return refused(`it has more than ${MAX_LETTERS} characters`);
  const lines = code.split('\n').length;
  const mostLines = /^\s*mindmap\b/m.test(code) ? MAX_MIND_MAP_LINES : MAX_LINES;
  if (lines > mostLines) return refused(`it has more than ${mostLines} lines`);
  // A few lines of YAML can stand for gigabytes.
  if (ALIAS.test(FRONT_MATTER.exec(code)?.[1] ?? ''))
    return refused('its front matter has an alias (`*name`): write the value');
  const read = latest.then(() => readInThread(code, deadline));
  latest = read.catch(() => undefined);
  return read;
}

/** One after the other: the thread's responses do not say which diagram they are about. */
let latest: Promise<unknown> = Promise.resolve();

async function readInThread(code: string, deadline: number): Promise<ReadDiagram> {
  thread ??= startThread();
  const worker = await thread;
  const late = new AbortController();
  // Where this process stood still, it first reads what the thread said meanwhile.
  const timer = setTimeout(() => setImmediate(() => late.abort()), deadline);
  try {
    worker.postMessage(code);
    const [read] = await once(worker, 'message', { signal: late.signal });
    return read as ReadDiagram;
  } catch (error) {
    thread = undefined;
    await worker.terminate();
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!late.signal.aborted && !isTooLarge) throw error;
    return refused(`reading it takes too ${isTooLarge ? 'much memory' : 'long'}`);
  } finally {
    clearTimeout(timer);
  }
}

const FRONT_MATTER = /^\s*---[ \t]*\r?\n([\s\S]*?)\n[ \t]*---[ \t]*(?:\r?\n|$)/;
const ALIAS = /(?:^|[\s[,:])\*\w/;

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
