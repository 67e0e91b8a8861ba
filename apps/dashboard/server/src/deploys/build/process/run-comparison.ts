import type { ComparisonOutcome } from '../../changes/deploy-change.ts';
import { limitsOf } from '../../deploy-limits.ts';
import type { ComparisonJob, FromBuildProcess, ToBuildProcess } from './messages.ts';
import { acquireProcess, isSmall, killProcess, releaseProcess } from './process-pool.ts';

/** How long a comparison may take, in seconds, where builds may take longer. GitHub's document takes one or two. */
const MAX_SECONDS = 60;

/**
 * Compares in the process of a build, within the bounds of one. What takes too much time or memory cannot be compared.
 * Rejects when the signal aborts it, or because of a defect.
 */
export function runComparison(job: ComparisonJob, signal: AbortSignal): Promise<ComparisonOutcome> {
  const { buildSeconds, buildMemory } = limitsOf(job);
  const seconds = Math.min(buildSeconds, MAX_SECONDS);
  const { promise, resolve, reject } = Promise.withResolvers<ComparisonOutcome>();
  signal.throwIfAborted();
  const child = acquireProcess(buildMemory);
  const giveUp = (limit: string) =>
    resolve({ incomparable: `The documents are too large to be compared in ${limit}.` });
  const timer = setTimeout(() => giveUp(`${seconds} seconds`), seconds * 1_000);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  let isFinished = false;
  let resident = 0;
  child.on('message', (message: FromBuildProcess) => {
    if ('resident' in message) resident = message.resident;
    else if ('tooLarge' in message) giveUp(`${buildMemory} MB of memory`);
    else if ('defect' in message) reject(new Error(`A comparison failed: ${message.defect}`));
    else if ('comparison' in message) {
      isFinished = true;
      resolve(message.comparison);
    }
  });
  child.on('error', reject);
  child.on('exit', (code, by) =>
    reject(new Error(`The process of a comparison ended without a result (${by ?? code}).`)),
  );
  child.send(job satisfies ToBuildProcess);
  return promise.finally(async () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    if (isFinished && isSmall(job.size, resident)) releaseProcess(child, buildMemory);
    else await killProcess(child);
  });
}
