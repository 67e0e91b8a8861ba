import { type BuildLog, type BuildProblem, problemOf } from '@petstore/site/build-log.ts';
import { EMPTY_CHANGELOG } from '@petstore/site/changelog/changelog.ts';
import { DEPLOY_LIMITS } from '../../deploy-limits.ts';
import { offsetsOf, type PackedArtifact } from '../artifact/pack.ts';
import type { BuildService, BuiltDocument } from '../build-service.ts';
import type { BuildJob, FromBuildProcess, ToBuildProcess } from './messages.ts';
import { acquireProcess, isSmall, killProcess, releaseProcess } from './process-pool.ts';

export type BuildOutcome =
  | { readonly artifact: PackedArtifact }
  | { readonly problems: readonly BuildProblem[] }
  /** `isKnown` said so. */
  | { readonly isKnown: true };

/** Of a build that stands alone: nothing was built before, and nothing is live. */
const NO_SERVICE: BuildService = {
  isKnown: async () => false,
  changelogFor: async () => EMPTY_CHANGELOG,
};

/**
 * Builds in another process: the service stays responsive and small, and a malicious document that takes too much time
 * or memory becomes a problem of the deploy. Rejects when the signal aborts it, or because of a defect.
 */
export function runBuild(
  job: BuildJob,
  log: BuildLog,
  signal: AbortSignal,
  service: BuildService = NO_SERVICE,
): Promise<BuildOutcome> {
  const { buildSeconds, buildMemory } = job.limits ?? DEPLOY_LIMITS;
  const { promise, resolve, reject } = Promise.withResolvers<BuildOutcome>();
  signal.throwIfAborted();
  const child = acquireProcess(buildMemory);
  const giveUp = (why: 'slow' | 'large') => {
    const limit =
      why === 'slow'
        ? `${buildSeconds} seconds; its operator sets DASHBOARD_BUILD_SECONDS`
        : `${buildMemory} MB; its operator sets DASHBOARD_BUILD_MEMORY_MB`;
    const message = TOO_COMPLEX[job.kind === 'document' ? 'document' : 'archive'][why];
    resolve({ problems: [problemOf(`${message} The limit is ${limit}.`)] });
  };
  let left = buildSeconds * 1_000;
  let begun = performance.now();
  const start = () => setTimeout(() => giveUp('slow'), left);
  let timer = start();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  let isOver = false;
  let resident = 0;
  const finish = (outcome: BuildOutcome) => {
    isFinished = true;
    resolve(outcome);
  };
  const answer = (message: ToBuildProcess) => {
    // It may have ended meanwhile, which is told by itself.
    if (child.connected) child.send(message);
  };
  const answerKey = (key: string) =>
    service.isKnown(key).then((isKnown) => answer({ isKnown }), reject);
  // The time of a comparison, which has bounds of its own, is not the build's.
  const answerDocuments = (documents: readonly BuiltDocument[]) => {
    clearTimeout(timer);
    left -= performance.now() - begun;
    return service.changelogFor(documents).then((changelog) => {
      if (isOver) return;
      begun = performance.now();
      timer = start();
      answer({ changelog });
    }, reject);
  };
  child.on('message', (message: FromBuildProcess) => {
    if ('line' in message) log(message.line);
    else if ('resident' in message) resident = message.resident;
    else if ('key' in message) answerKey(message.key);
    else if ('documents' in message) answerDocuments(message.documents);
    else if ('problems' in message || 'isKnown' in message) finish(message);
    else if ('tooLarge' in message) giveUp('large');
    else if ('defect' in message) reject(new Error(`A build failed: ${message.defect}`));
    else if (!('comparison' in message)) {
      const { hash, manifest, packed } = message;
      finish({ artifact: { hash, manifest, blobs: offsetsOf(packed) } });
    }
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`The process of a build ended without a result (${by ?? code}).`)),
  );
  child.send(job satisfies ToBuildProcess);
  return promise.finally(async () => {
    isOver = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    // An aborted process is still busy, and one with a large build may hold much memory.
    if (isFinished && isSmall(job.size, resident)) releaseProcess(child, buildMemory);
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
