import { type BuildLog, type BuildProblem, problemOf } from '@petstore/site/build-log.ts';
import { EMPTY_CHANGELOG } from '@petstore/site/changelog/changelog.ts';
import { DEPLOY_LIMITS } from '../../deploy-limits.ts';
import { offsetsOf, type PackedArtifact } from '../artifact/pack.ts';
import type { BuildService } from '../build-service.ts';
import type { BuildJob } from './messages.ts';
import { runInProcess } from './run-in-process.ts';

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
  const limits = {
    time: `${buildSeconds} seconds; its operator sets DASHBOARD_BUILD_SECONDS`,
    memory: `${buildMemory} MB; its operator sets DASHBOARD_BUILD_MEMORY_MB`,
  };
  const tooMuch = (of: keyof typeof limits): BuildOutcome => {
    const message = TOO_COMPLEX[job.kind === 'document' ? 'document' : 'archive'][of];
    return { problems: [problemOf(`${message} The limit is ${limits[of]}.`)] };
  };
  const bounds = { seconds: buildSeconds, memory: buildMemory, tooMuch };
  return runInProcess<BuildOutcome>({ job, name: 'build', ...bounds }, signal, (message, build) => {
    if ('line' in message) log(message.line);
    else if ('key' in message)
      build.answer(
        service.isKnown(message.key).then((isKnown) => ({ isKnown })),
        true,
      );
    else if ('documents' in message)
      // The time of a comparison, which has bounds of its own, is not the build's.
      build.answer(
        service.changelogFor(message.documents).then((changelog) => ({ changelog })),
        false,
      );
    else if ('problems' in message || 'isKnown' in message) build.finish(message);
    else if ('hash' in message) {
      const { hash, manifest, packed } = message;
      build.finish({ artifact: { hash, manifest, blobs: offsetsOf(packed) } });
    }
  });
}

const TOO_COMPLEX = {
  document: {
    time: 'The document is too complex to be built in the time that a build has. Split it into several APIs.',
    memory:
      'The document is too complex to be built in the memory that a build has. Split it into several APIs.',
  },
  archive: {
    time: 'The archive takes too long to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
    memory:
      'The archive takes too much memory to build. Publish fewer or shorter guides, or split a large OpenAPI document into several APIs.',
  },
} as const;
