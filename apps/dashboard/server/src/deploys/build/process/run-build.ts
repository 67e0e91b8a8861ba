import { type BuildLog, type DeployProblem, problemOf } from '../../artifact.ts';
import { offsetsOf, type PackedArtifact } from '../artifact/pack.ts';
import type { BuildJob, FromBuildProcess, MemoryLimits } from './messages.ts';
import { acquireProcess, killProcess, releaseProcess, removeListeners } from './process-pool.ts';

export type BuildOutcome =
  | { readonly artifact: PackedArtifact }
  | { readonly problems: readonly DeployProblem[] };

export interface BuildLimits {
  /** Milliseconds from the start to the result. */
  readonly deadline: number;
  readonly memory: MemoryLimits;
}

/**
 * A document of 10 MB with 7,000 operations takes up to 42 seconds on two busy cores, and is not to fail beside
 * another or on a machine half as fast.
 */
const LIMITS: BuildLimits = { deadline: 120_000, memory: { heap: 1_024, resident: 1_536 } };

/** What a process has built may weigh for the process to be kept, in bytes. */
const SMALL_BYTES = 1_000_000;

/**
 * Builds in a process of its own: the service stays responsive and small, and a document made to take for ever, or all
 * memory, ends as a problem. Rejects when the signal aborts it, or by a defect.
 */
export function runBuild(
  job: BuildJob,
  log: BuildLog,
  signal: AbortSignal,
  { deadline, memory }: BuildLimits = LIMITS,
): Promise<BuildOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
  signal.throwIfAborted();
  const child = acquireProcess(memory);
  const giveUp = (why: 'slow' | 'large') =>
    resolve({
      problems: [problemOf(TOO_COMPLEX[job.kind === 'document' ? 'document' : 'archive'][why])],
    });
  const timer = setTimeout(() => giveUp('slow'), deadline);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  const finish = (outcome: BuildOutcome) => {
    isFinished = true;
    resolve(outcome);
  };
  child.on('message', (message: FromBuildProcess) => {
    if ('line' in message) log(message.line);
    else if ('problems' in message) finish(message);
    else if ('tooLarge' in message) giveUp('large');
    else if ('defect' in message) reject(new Error(`A build failed: ${message.defect}`));
    else {
      const { hash, manifest, packed } = message;
      finish({ artifact: { hash, manifest, blobs: offsetsOf(packed) } });
    }
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`The process of a build ended without a result (${by ?? code}).`)),
  );
  child.send(job);
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    removeListeners(child);
    // An aborted process is still busy, and one with a large build may hold much memory.
    if (isFinished && job.size <= SMALL_BYTES) releaseProcess(child, memory);
    else await killProcess(child);
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
