import type { ExceptionsOfDay } from '@petstore/changes/exceptions.ts';
import type { DeployRow } from '../../store/deploys.ts';
import type { ProjectRow } from '../../store/projects.ts';
import { withExceptions } from '../exceptions/apply-exceptions.ts';
import { countsInWords, type DeployComparison } from './deploy-change.ts';

/** Why a deploy waits for an owner: it breaks clients, or nobody knows whether it does. */
export type HeldReason = 'breaking' | 'not_compared';

/** A deploy's comparison, as it counts with the exceptions of its project; null where it was compared with nothing. */
export const comparisonOf = (
  { comparison }: Pick<DeployRow, 'comparison'>,
  exceptions: ExceptionsOfDay,
): DeployComparison | null =>
  comparison === null
    ? null
    : withExceptions(JSON.parse(comparison) as DeployComparison, exceptions);

/**
 * Why a deploy may not go live unless an owner confirms it; undefined where it may. `shown`: the id of the deploy that is
 * where it would be; null where there is none any more, undefined where there was never one. One that was live before
 * goes back whatever it changes: then readers and clients had it already, and to go back must be quick.
 */
export function whyHeld(
  { hold_breaking }: Pick<ProjectRow, 'hold_breaking'>,
  comparison: DeployComparison | null,
  { activated_at }: Pick<DeployRow, 'activated_at'>,
  shown: string | null | undefined,
): HeldReason | undefined {
  if (hold_breaking !== 1 || shown === undefined || activated_at !== null) return undefined;
  // What was live when it was built may have been replaced since.
  if (comparison?.against.id !== shown || comparison.problem !== null) return 'not_compared';
  return (comparison.changes?.breaking ?? 0) > 0 ? 'breaking' : undefined;
}

/** The same in a sentence. */
export function heldInWords(reason: HeldReason, comparison: DeployComparison | null): string {
  if (reason === 'breaking' && comparison?.changes)
    return `It has ${countsInWords({ breaking: comparison.changes.breaking })} for those who use deploy #${comparison.against.number}.`;
  if (comparison === null) return 'It was not compared with what is live.';
  return comparison.problem === null
    ? `It was compared with deploy #${comparison.against.number}, and another one is live by now.`
    : `It could not be compared with deploy #${comparison.against.number}: ${comparison.problem}`;
}
