import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { rememberCompressions, rememberedCompressions } from './artifact.ts';
import { forgetListeners, keepThread, takeThread } from './build-thread.ts';
import type { BuildMessage, ToBuildThread } from './build-worker.ts';
import { artifactReceiver } from './handover.ts';

export interface BuildLimits {
  /** Milliseconds from the start to the result. */
  readonly deadline: number;
  /** Megabytes of the heap. */
  readonly heap: number;
}

/**
 * All deploys wait behind one, so no longer than must be: a document of 10 MB with 7,000 operations takes up
 * to 42 seconds on two busy cores, and is not to fail on a machine half as fast.
 */
const LIMITS: BuildLimits = { deadline: 90_000, heap: 1_024 };

/** What a thread has built may weigh for the thread to be kept, in bytes. */
const SMALL_BYTES = 1_000_000;

/**
 * Builds in a thread of its own, so that the service goes on answering, and so that a document that was
 * made to take for ever, or all memory, ends as a problem. Rejects when the signal ends it, or by a
 * defect.
 */
export function runBuild(
  input: BuildInput,
  log: BuildLog,
  signal: AbortSignal,
  limits: BuildLimits = LIMITS,
): Promise<BuildResult> {
  const { promise, resolve, reject } = Promise.withResolvers<BuildResult>();
  signal.throwIfAborted();
  const worker = takeThread(limits.heap);
  const say = (message: ToBuildThread) => worker.postMessage(message);
  const giveUp = (why: 'slow' | 'large') =>
    resolve({
      problems: [problem(TOO_COMPLEX[input.kind === 'document' ? 'document' : 'archive'][why])],
    });
  const receive = artifactReceiver();
  const timer = setTimeout(() => giveUp('slow'), limits.deadline);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  const finish = (result: BuildResult) => {
    isFinished = true;
    resolve(result);
  };
  worker.on('message', (message: BuildMessage) => {
    if ('line' in message) log(message.line);
    else if ('known' in message) rememberCompressions(message.known);
    else if ('problems' in message) finish(message);
    else {
      const artifact = receive(message.part);
      if (artifact) finish({ artifact });
      else say('next');
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp('large');
    else reject(error);
  });
  worker.on('exit', () => reject(new Error('The thread of a build ended without a result.')));
  say({ input, known: rememberedCompressions() });
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    forgetListeners(worker);
    // One that was given up is in the middle of something, and a large one may hold much memory.
    if (isFinished && input.bytes.length <= SMALL_BYTES) keepThread(worker, limits.heap);
    else await worker.terminate();
  });
}

const TOO_COMPLEX = {
  document: {
    slow: 'The document is too complex to be built in the time that a build has. Split it into several APIs.',
    large:
      'The document is too complex to be built in the memory that a build has. Split it into several APIs.',
  },
  archive: {
    slow: 'The archive takes too long to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
    large:
      'The archive takes too much memory to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
  },
} as const;

function problem(message: string) {
  return { message, path: '', line: null };
}
