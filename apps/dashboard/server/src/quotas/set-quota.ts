import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { putQuota, removeQuota } from '../store/quotas.ts';
import type { QuotaName } from './quota.ts';
import type { QuotaTarget } from './target.ts';

/** How much there may be; null: as much as one likes; `unset`: what is less specific holds. */
export type QuotaChange = number | null | 'unset';

/** Sets a quota or unsets it, with an entry in the audit log. Whether anything was there to unset. */
export function setQuota(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  quota: QuotaName,
  { stored, words, projectId }: QuotaTarget,
  change: QuotaChange,
  actor: Actor,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    if (change !== 'unset') await putQuota(trx, quota, stored, change);
    else if (!(await removeQuota(trx, quota, stored))) return false;
    await writeAudit(trx, now(), actor, {
      action: 'quota.set',
      ...(projectId !== undefined && { projectId }),
      target: quota,
      details: {
        value: change === 'unset' ? null : change === null ? 'unlimited' : change,
        for: words,
      },
    });
    return true;
  });
}
