import type { Caller } from '../../accounts/caller.ts';
import { limitRate } from '../../accounts/sign-in-limits.ts';
import { conflict, notFound } from '../../api-error.ts';
import type { Deps } from '../../deps.ts';
import { lockProjectFor } from '../../projects/lock-project.ts';
import { instant, instantOrNull } from '../../schema-types.ts';
import { writeAudit } from '../../store/audit.ts';
import { type DomainRow, lockDomain } from '../../store/domains.ts';
import { findRehearsal, putRehearsal, type RehearsalRow } from '../../store/rehearsals.ts';
import { requireDomainsInPlan } from '../domains.ts';
import type { Rehearsal, RehearsalResult } from './rehearsal.ts';

/** How often a rehearsal may be started in a window, for a name and for all names of a project: it asks another site. */
const LIMIT_OF_DOMAIN = { limit: 6, windowMs: 3_600_000 };
const LIMIT_OF_PROJECT = { limit: 20, windowMs: 3_600_000 };

/**
 * Starts a rehearsal of a domain's move; `rehearser.ts` does it. Throws ApiError: `conflict` where one is under way or
 * the domain is a wildcard or not verified, `rate_limited` where there were too many, `forbidden` where the plan has no domains.
 */
export async function startRehearsal(
  deps: Pick<Deps, 'db' | 'now' | 'domainsChanged'>,
  domain: DomainRow,
  caller: Caller,
): Promise<RehearsalRow> {
  const { db, now } = deps;
  const { actor } = caller;
  const { id, hostname, project_id: projectId } = domain;
  // Refused before it is counted.
  checkMayRehearse(domain, await findRehearsal(db, id));
  await limitRate(db, `rehearse:${id}`, LIMIT_OF_DOMAIN, now(), tooOften);
  await limitRate(db, `rehearse:${projectId}`, LIMIT_OF_PROJECT, now(), tooOften);
  const row = await db.transaction().execute(async (trx) => {
    const project = await lockProjectFor(trx, caller, projectId, 'domain.manage');
    await requireDomainsInPlan(trx, project);
    const locked = await lockDomain(trx, id);
    if (!locked || locked.removed_at !== null) throw notFound('domain');
    checkMayRehearse(locked, await findRehearsal(trx, id));
    const at = now();
    await writeAudit(trx, at, actor, { action: 'domain.rehearse', projectId, target: hostname });
    return putRehearsal(trx, { domain_id: id, requested_at: at, requested_by: actor.name });
  });
  deps.domainsChanged();
  return row;
}

/** Throws ApiError where a domain is a wildcard or not verified, or a rehearsal of it is under way. */
function checkMayRehearse(
  { hostname, verified_at }: DomainRow,
  latest: RehearsalRow | undefined,
): void {
  if (hostname.startsWith('*.'))
    throw conflict(
      'A wildcard stands for many names. Add the name that is to be moved, and rehearse that.',
    );
  if (verified_at === null)
    throw conflict(
      `${hostname} is not verified yet. A rehearsal fetches the site that is there today, so the name has to be yours: create the record at _acme-challenge.${hostname}, and click Verify.`,
    );
  if (latest && latest.finished_at === null)
    throw conflict(`A rehearsal of ${hostname} is under way. Wait until it has ended.`);
}

function tooOften(waitMs: number): string {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  return `There were many rehearsals within the last hour. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}

/** A rehearsal as the API shows it. */
export function presentRehearsal(row: RehearsalRow): Rehearsal {
  return {
    state:
      row.finished_at !== null
        ? row.problem === null
          ? 'finished'
          : 'failed'
        : row.attempts === 0
          ? 'waiting'
          : 'running',
    requestedAt: instant(row.requested_at),
    requestedBy: row.requested_by,
    finishedAt: instantOrNull(row.finished_at),
    pagesSeen: row.pages_seen,
    problem: row.problem,
    result: row.result === null ? null : (JSON.parse(row.result) as RehearsalResult),
  };
}
