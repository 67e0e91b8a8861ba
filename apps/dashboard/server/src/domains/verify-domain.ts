import type { Transaction } from 'kysely';
import { absent, forbidden, rateLimited } from '../api-error.ts';
import { type Actor, SYSTEM } from '../audit/actor.ts';
import { requestCertificate } from '../certificates/request-certificate.ts';
import type { Deps } from '../deps.ts';
import { queueNotice } from '../notices/queue-notice.ts';
import { PLANS } from '../projects/plans.ts';
import { writeAudit } from '../store/audit.ts';
import { beginChecks, findCheck, updateCheck } from '../store/domain-checks.ts';
import { noteDomainEvent } from '../store/domain-events.ts';
import {
  type DomainRow,
  deleteCertificates,
  deleteDomain,
  findDomainById,
  findOtherHolder,
  holdDomain,
  updateDomain,
} from '../store/domains.ts';
import { holdProject, updateProject } from '../store/projects.ts';
import type { Database } from '../store/schema.ts';
import { countTry } from '../store/sign-in-failures.ts';
import { holdSites, noteSiteChange } from '../store/sites.ts';
import { nextRemovedCheck, nextUnverifiedCheck, nextVerifiedCheck } from './check-waits.ts';
import { checkDns, type DnsCheck } from './dns/check-dns.ts';
import { expectationOf } from './expectation.ts';
import type { Verdict } from './verdict.ts';

export type VerifyDeps = Pick<Deps, 'db' | 'now' | 'config' | 'siteChanged' | 'domainsChanged'>;

/** Clicks on Verify in a window, for a name and for all names of a project. */
const WINDOW_MS = 60_000;
const LIMITS = { domain: 10, project: 60 } as const;

/** Checks under way in this process: who asks for the same meanwhile gets the same answer. */
const underWay = new WeakMap<object, Map<string, Promise<DomainRow>>>();

/**
 * Asks the DNS at a person's wish and takes the consequences; the domain as it is then. It never asks the
 * certificate authority anything. Calls for one domain at the same time are one. Throws ApiError
 * `rate_limited` where there are too many, and `forbidden` where the plan has no domains any more.
 */
export function verifyDomain(
  deps: VerifyDeps,
  domain: DomainRow,
  actor: Actor,
): Promise<DomainRow> {
  const waiting = underWay.get(deps.db) ?? new Map<string, Promise<DomainRow>>();
  underWay.set(deps.db, waiting);
  const running = waiting.get(domain.id);
  if (running) return running;
  const work = verify(deps, domain, actor).finally(() => waiting.delete(domain.id));
  waiting.set(domain.id, work);
  return work;
}

async function verify(deps: VerifyDeps, { id, ...domain }: DomainRow, actor: Actor) {
  const { db, now } = deps;
  await countVerify(deps, `verify:${id}`, LIMITS.domain);
  await countVerify(deps, `verify:${domain.project_id}`, LIMITS.project);
  // The waits between checks begin anew: someone is at it.
  await db.transaction().execute(async (trx) => {
    if (!(await holdDomain(trx, id))) throw absent('domain');
    const check = await findCheck(trx, id);
    await beginChecks(trx, id, now(), check?.next_check_at ?? now());
  });
  const changed = await checkDomain(deps, id, actor);
  if (!changed || changed.removed_at !== null) throw absent('domain');
  return changed;
}

async function countVerify({ db, now }: VerifyDeps, key: string, limit: number): Promise<void> {
  const { count, resetsAt } = await countTry(db, key, now(), WINDOW_MS);
  if (count <= limit) return;
  const seconds = Math.max(1, Math.ceil((resetsAt - now()) / 1_000));
  throw rateLimited(
    `Verify was asked for too often. Try again in ${seconds} second${seconds === 1 ? '' : 's'}; the DNS is checked by itself meanwhile.`,
    resetsAt - now(),
  );
}

/** How often a check is made anew whose question changed while it was asked. */
const MAX_CHECKS = 3;

/**
 * Asks the DNS about a domain and takes the consequences; the domain as it is then, undefined when it is
 * gone. Rejects where the plan forbids what the DNS allows.
 */
export async function checkDomain(
  deps: VerifyDeps,
  id: string,
  actor: Actor = SYSTEM,
  signal?: AbortSignal,
): Promise<DomainRow | undefined> {
  const { db, config } = deps;
  for (let checks = 1; ; checks++) {
    const domain = await findDomainById(db, id);
    if (!domain) return undefined;
    const expectation = await expectationOf(db, config, domain);
    const found = await checkDns(expectation, {
      servers: config.dnsServers,
      authoritativePort: config.dnsAuthoritativePort,
      ...(signal && { signal }),
    });
    const changedProjects: string[] = [];
    const isDone = await db.transaction().execute((trx) =>
      takeConsequences(trx, deps, id, {
        found,
        actor,
        hasProven: expectation.proof !== undefined,
        changedProjects,
      }),
    );
    for (const projectId of changedProjects) deps.siteChanged(projectId);
    if (changedProjects.length > 0) deps.domainsChanged();
    if (isDone) return findDomainById(db, id);
    if (checks === MAX_CHECKS) throw new Error(`${domain.hostname} changes hands all the time`);
  }
}

interface Outcome {
  readonly found: DnsCheck;
  readonly actor: Actor;
  /** The TXT record was part of the question. */
  readonly hasProven: boolean;
  /** Gets the projects that serve something else from here on. */
  readonly changedProjects: string[];
}

/** false where someone else came to hold the name since the question was put: then it is to be put anew. */
async function takeConsequences(
  trx: Transaction<Database>,
  deps: VerifyDeps,
  id: string,
  outcome: Outcome,
): Promise<boolean> {
  const { found, actor } = outcome;
  const at = deps.now();
  const claim = await findDomainById(trx, id);
  // The project first, as everywhere; then all that serves; then the domain: so that none waits for another in a circle.
  const project = claim && (await holdProject(trx, claim.project_id));
  const isNew = claim?.verified_at === null && claim.removed_at === null;
  if (isNew && found.verdict.code === 'verified') await holdSites(trx);
  const domain = await holdDomain(trx, id);
  const check = domain && (await findCheck(trx, id));
  if (!project || !domain || !check) return true;

  if (domain.removed_at !== null) {
    await keepReserved(trx, domain, found, at);
    return true;
  }
  const before = check.verdict === null ? undefined : (JSON.parse(check.verdict) as Verdict);
  const store = (nextCheckAt: number | null) =>
    updateCheck(trx, id, {
      verdict: JSON.stringify(found.verdict),
      points_here: found.pointsHere ? 1 : 0,
      checked_at: at,
      attempts: check.attempts + 1,
      next_check_at: nextCheckAt,
    });
  if (before?.code !== found.verdict.code || before.reason !== found.verdict.reason) {
    await noteDomainEvent(trx, id, at, 'verdict', found.verdict.message, {
      code: found.verdict.code,
      reason: found.verdict.reason,
    });
  }

  if (domain.verified_at !== null) {
    const isMovedAway = await followMove(trx, domain, found, at);
    if (found.verdict.code === 'verified') await requestCertificate(trx, domain, at);
    await store(nextVerifiedCheck(at, isMovedAway));
    return true;
  }
  if (found.verdict.code !== 'verified') {
    await store(nextUnverifiedCheck(check.began_at, at));
    return true;
  }
  if (PLANS[project.plan].customDomains === 0) {
    await store(null);
    if (actor === SYSTEM) return true;
    throw forbidden('Custom domains need the plan Pro or above.');
  }

  const holder = await findOtherHolder(trx, domain);
  if (holder && !outcome.hasProven) return false;
  if (holder) {
    await lose(trx, holder, at);
    outcome.changedProjects.push(holder.project_id);
  }
  await updateDomain(trx, id, { verified_at: at, holds: 1, moved_away_at: null });
  await noteDomainEvent(trx, id, at, 'verified', 'The DNS records are right: verified.');
  if (project.primary_domain_id === null) {
    await updateProject(trx, project.id, { primary_domain_id: id });
    await noteDomainEvent(trx, id, at, 'primary', "It became the project's primary domain.");
  }
  await requestCertificate(trx, domain, at);
  await store(nextVerifiedCheck(at, false));
  await queueNotice(trx, at, {
    type: 'domain.verified',
    projectId: project.id,
    hostname: domain.hostname,
    message: `${domain.hostname} is verified; its certificate comes within minutes.`,
  });
  await noteSiteChange(trx, project.id, at);
  await writeAudit(trx, at, actor, {
    action: 'domain.verify',
    projectId: project.id,
    target: domain.hostname,
  });
  outcome.changedProjects.push(project.id);
  return true;
}

/** A removed name is reserved for as long as its DNS leads here; what cannot be asked may still do so. */
async function keepReserved(
  trx: Transaction<Database>,
  { id }: DomainRow,
  { verdict, pointsHere }: DnsCheck,
  at: number,
): Promise<void> {
  if (pointsHere || verdict.code === 'dns_error') {
    await updateCheck(trx, id, { checked_at: at, next_check_at: nextRemovedCheck(at) });
  } else {
    await deleteDomain(trx, id);
  }
}

/** Notes that the DNS of a verified name leads elsewhere, or here again. Whether it is elsewhere. */
async function followMove(
  trx: Transaction<Database>,
  { id, hostname, project_id: projectId, moved_away_at }: DomainRow,
  { verdict, pointsHere }: DnsCheck,
  at: number,
): Promise<boolean> {
  // Name servers that fail say nothing about where the name leads.
  if (verdict.code === 'dns_error' && !pointsHere) return moved_away_at !== null;
  if (pointsHere === (moved_away_at === null)) return !pointsHere;
  await updateDomain(trx, id, { moved_away_at: pointsHere ? null : at });
  if (pointsHere) {
    await noteDomainEvent(trx, id, at, 'returned', 'Its DNS leads here again.');
    return false;
  }
  const message = `The DNS of ${hostname} no longer leads here. ${verdict.message}`;
  await noteDomainEvent(trx, id, at, 'moved_away', message);
  await queueNotice(trx, at, {
    type: 'domain.moved_away',
    projectId,
    hostname,
    message: `${message} ${verdict.remedy} If it moved on purpose, remove it here.`,
    details: { verdict },
  });
  return true;
}

/** Takes a name from the project that held it: another has proven that it controls the DNS. */
async function lose(trx: Transaction<Database>, holder: DomainRow, at: number): Promise<void> {
  await deleteCertificates(trx, holder);
  if (holder.removed_at !== null) {
    await deleteDomain(trx, holder.id);
    return;
  }
  await updateDomain(trx, holder.id, { holds: 0, verified_at: null, moved_away_at: null });
  await updateCheck(trx, holder.id, { next_check_at: null });
  const message = `Another project proved with a TXT record that it controls ${holder.hostname}, and has it now.`;
  await noteDomainEvent(trx, holder.id, at, 'lost', message);
  await noteSiteChange(trx, holder.project_id, at);
  await queueNotice(trx, at, {
    type: 'domain.lost',
    projectId: holder.project_id,
    hostname: holder.hostname,
    message: `${message} To get it back, add the TXT record that the domain's page shows and click Verify.`,
  });
}
