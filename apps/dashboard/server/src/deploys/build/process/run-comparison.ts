import type { ComparisonOutcome } from '../../changes/deploy-change.ts';
import { limitsOf } from '../../deploy-limits.ts';
import type { ComparisonJob } from './messages.ts';
import { runInProcess } from './run-in-process.ts';

/** How long a comparison may take, in seconds, where builds may take longer. GitHub's document takes one or two. */
const MAX_SECONDS = 60;

/**
 * Compares in the process of a build, within the bounds of one. What takes too much time or memory cannot be compared.
 * Rejects when the signal aborts it, or because of a defect.
 */
export function runComparison(job: ComparisonJob, signal: AbortSignal): Promise<ComparisonOutcome> {
  const { buildSeconds, buildMemory } = limitsOf(job);
  const seconds = Math.min(buildSeconds, MAX_SECONDS);
  const limits = { time: `${seconds} seconds`, memory: `${buildMemory} MB of memory` };
  const tooMuch = (of: keyof typeof limits): ComparisonOutcome => ({
    incomparable: `The documents are too large to be compared in ${limits[of]}.`,
  });
  const bounds = { seconds, memory: buildMemory, tooMuch };
  return runInProcess({ job, name: 'comparison', ...bounds }, signal, (message, comparison) => {
    if ('comparison' in message) comparison.finish(message.comparison);
  });
}
