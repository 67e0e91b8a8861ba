import { type ExceptionsOfDay, exceptionFor, withException } from '@petstore/changes/exceptions.ts';
import { listOf } from '@petstore/changes/report.ts';
import { parseJson, toJson } from '@petstore/site/syntax/exact-text.ts';
import { findDeployChanges, putDeployChanges } from '../../store/deploy-changes.ts';
import { type DeployRow, storeComparison } from '../../store/deploys.ts';
import type { Trx } from '../../store/schema.ts';
import type { ChangeCounts, DeployChange, DeployComparison } from '../changes/deploy-change.ts';

// Exceptions of a project are not in what is stored of a comparison until the deploy goes live: they come and go, and
// end with their last day. From then on the deploy keeps the counts with which it went live.

/** A comparison as it counts with the exceptions of its project. */
export function withExceptions(
  comparison: DeployComparison,
  rules: ExceptionsOfDay,
): DeployComparison {
  const { changes, open = [] } = comparison;
  if (changes === null) return comparison;
  const counts: Record<keyof ChangeCounts, number> = { ...changes };
  for (const { verdict, number, ...change } of open) {
    if (exceptionFor(rules, change) === undefined) continue;
    counts[verdict] -= number;
    counts.compatible += number;
  }
  return { ...comparison, changes: counts };
}

/** JSON of a deploy's changes, as they count with the exceptions of its project. */
export function listWithExceptions(
  changes: string,
  { open = [] }: DeployComparison,
  rules: ExceptionsOfDay,
): string {
  if (open.every((one) => exceptionFor(rules, one) === undefined)) return changes;
  const stored = parseJson(changes) as DeployChange[];
  return toJson(listOf(stored.map((change) => withException(change, rules))).changes, 0).trimEnd();
}

/**
 * Stores a comparison with the exceptions of today: those that are added or ended later do not change it any more.
 * `deploy`: one that goes live, as it is stored.
 */
export async function settleExceptions(
  trx: Trx,
  { id, comparison: json }: Pick<DeployRow, 'id' | 'comparison'>,
  rules: ExceptionsOfDay,
): Promise<void> {
  const stored = json === null ? null : (JSON.parse(json) as DeployComparison);
  if (!stored?.open) return;
  const { open: _, ...settled } = withExceptions(stored, rules);
  await storeComparison(trx, id, JSON.stringify(settled));
  const row = await findDeployChanges(trx, id);
  const changes = row && listWithExceptions(row.changes, stored, rules);
  if (row && changes !== undefined && changes !== row.changes)
    await putDeployChanges(trx, { ...row, changes });
}
