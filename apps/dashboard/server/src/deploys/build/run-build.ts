import { Worker } from 'node:worker_threads';
import type { BuildInput, BuildLog, BuildResult } from '../artifact.ts';
import { rememberCompressions, rememberedCompressions } from './artifact.ts';
import type { BuildJob, BuildMessage } from './build-worker.ts';
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
  const job: BuildJob = { input, known: rememberedCompressions() };
  const worker = new Worker(new URL('build-worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: limits.heap },
  });
  const giveUp = (why: 'slow' | 'large') =>
    resolve({
      problems: [problem(TOO_COMPLEX[input.kind === 'document' ? 'document' : 'archive'][why])],
    });
  const receive = artifactReceiver();
  const timer = setTimeout(() => giveUp('slow'), limits.deadline);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  worker.on('message', (message: BuildMessage) => {
    if ('line' in message) log(message.line);
    else if ('known' in message) rememberCompressions(message.known);
    else if ('problems' in message) resolve(message);
    else {
      const artifact = receive(message.part);
      if (artifact) resolve({ artifact });
      else worker.postMessage('next');
    }
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') giveUp('large');
    else reject(error);
  });
  worker.on('exit', () => reject(new Error('The thread of a build ended without a result.')));
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
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
