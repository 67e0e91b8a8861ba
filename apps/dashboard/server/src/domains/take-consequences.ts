import type { Transaction } from 'kysely';
import type { Actor } from '../audit/actor.ts';
import { cancelCertificate } from '../certificates/cancel-certificate.ts';
import { requestCertificate } from '../certificates/request-certificate.ts';
import { queueNotice } from '../notices/queue-notice.ts';
import { PLANS } from '../projects/project.ts';
import { writeAudit } from '../store/audit.ts';
import {
  clearCheckResult,
  type DomainCheckRow,
  findCheck,
  updateCheck,
} from '../store/domain-checks.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import {
  type DomainRow,
  deleteDomain,
  findDomainById,
  findOtherHolder,
  listOtherClaims,
  lockDomains,
  updateDomain,
} from '../store/domains.ts';
import { ConcurrentChangeError } from '../store/errors.ts';
import { lockProjects, type ProjectRow, updateProject } from '../store/projects.ts';
import type { Database } from '../store/schema.ts';
import { lockSites, recordSiteChange } from '../store/sites.ts';
import { nextRemovedCheck, nextUnverifiedCheck, nextVerifiedCheck } from './check-waits.ts';
import { makeProof } from './claim.ts';
import type { DnsCheck } from './dns/check-dns.ts';
import type { Verdict } from './verdict.ts';

/** How a check came about. */
interface Circumstances {
  readonly at: number;
  readonly actor: Actor;
  /** The TXT record was part of the question. */
  readonly isProven: boolean;
}

/**
 * Does what follows from a check of a domain. The projects that serve something else from here on;
 * undefined where someone else came to hold the name since the question was put: then it has to be put anew.
 */
export async function takeConsequences(
  trx: Transaction<Database>,
  id: string,
  found: DnsCheck,
  circumstances: Circumstances,
): Promise<string[] | undefined> {
  const { at } = circumstances;
  const claim = await findDomainById(trx, id);
  if (!claim) return [];
  // Whoever comes to hold the name takes it from its holder, and renews the proofs of all others.
  const mayTakeName = found.verdict.code === 'verified' && claim.verified_at === null;
  const others = mayTakeName ? await listOtherClaims(trx, claim) : [];
  const { projects, domains } = await holdAll(trx, claim, others);
  const project = projects.find((held) => held.id === claim.project_id);
  const domain = domains.find((held) => held.id === id);
  const check = domain && (await findCheck(trx, id));
  if (!project || !domain || !check) return [];

  if (domain.removed_at !== null) {
    await keepReserved(trx, domain, found, at);
    return [];
  }
  const isVerified = domain.verified_at !== null;
  const mayVerify = PLANS[project.plan].customDomains !== 0;
  const becomesVerified = !isVerified && found.verdict.code === 'verified' && mayVerify;
  // From here on nobody else comes to hold a name.
  if (becomesVerified) await lockSites(trx);
  const holder = becomesVerified ? await findOtherHolder(trx, domain) : undefined;
  if (holder && !circumstances.isProven) return undefined;
  const isHolderHeld =
    !holder ||
    (domains.some((held) => held.id === holder.id) &&
      projects.some((held) => held.id === holder.project_id));
  if (becomesVerified && !(mayTakeName && isHolderHeld)) throw new ConcurrentChangeError();

  await writeFound(trx, check, found, at);
  if (isVerified) {
    const isMovedAway = await followMove(trx, domain, found, at);
    // Whoever verifies anew what waits for a certificate has mended something.
    if (found.verdict.code === 'verified') await requestCertificate(trx, domain, at);
    await updateCheck(trx, id, { next_check_at: nextVerifiedCheck(at, isMovedAway) });
    return [];
  }
  if (!becomesVerified) {
    await updateCheck(trx, id, { next_check_at: nextUnverifiedCheck(check.began_at, at) });
    return [];
  }
  if (holder) await lose(trx, holder, at);
  await becomeVerified(trx, project, domain, circumstances);
  for (const other of domains) {
    // What proved anything before proves nothing from now on: a TXT record may stay where it is for years.
    if (other.id !== id) await updateDomain(trx, other.id, { proof: makeProof() });
  }
  return holder ? [project.id, holder.project_id] : [project.id];
}

/** Holds a claim and others to the same name, with the projects of the claim and of who holds the name. */
async function holdAll(
  trx: Transaction<Database>,
  claim: DomainRow,
  others: readonly DomainRow[],
): Promise<{ projects: ProjectRow[]; domains: DomainRow[] }> {
  const holders = others.filter(({ holds }) => holds === 1);
  const projects = await lockProjects(
    trx,
    [claim, ...holders].map(({ project_id }) => project_id),
  );
  const domains = await lockDomains(
    trx,
    [claim, ...others].map(({ id }) => id),
  );
  return { projects, domains };
}

/** Writes down what was found, and on the timeline if it is something else than before. */
async function writeFound(
  trx: Transaction<Database>,
  { domain_id, verdict, attempts }: DomainCheckRow,
  found: DnsCheck,
  at: number,
): Promise<void> {
  const { code, reason, message } = found.verdict;
  const before = verdict === null ? undefined : (JSON.parse(verdict) as Verdict);
  if (before?.code !== code || before.reason !== reason) {
    await recordDomainEvent(trx, domain_id, at, 'verdict', message, { code, reason });
  }
  await updateCheck(trx, domain_id, {
    verdict: JSON.stringify(found.verdict),
    points_here: found.pointsHere ? 1 : 0,
    checked_at: at,
    attempts: attempts + 1,
  });
}

async function becomeVerified(
  trx: Transaction<Database>,
  project: ProjectRow,
  { id, hostname }: DomainRow,
  { at, actor }: Circumstances,
): Promise<void> {
  await updateDomain(trx, id, { verified_at: at, holds: 1, moved_away_at: null });
  await recordDomainEvent(trx, id, at, 'verified', 'Its DNS records are right: it is verified.');
  if (project.primary_domain_id === null) {
    await updateProject(trx, project.id, { primary_domain_id: id });
    await recordDomainEvent(trx, id, at, 'primary', "It became the project's primary domain.");
  }
  await requestCertificate(trx, { id, hostname }, at);
  await updateCheck(trx, id, { next_check_at: nextVerifiedCheck(at, false) });
  await queueNotice(trx, at, {
    type: 'domain.verified',
    projectId: project.id,
    hostname,
    message: `${hostname} is verified. Its certificate usually comes within a couple of minutes.`,
  });
  await recordSiteChange(trx, project.id, at);
  await writeAudit(trx, at, actor, {
    action: 'domain.verify',
    projectId: project.id,
    target: hostname,
  });
}

/** So long a removed name stays reserved whose name servers do not answer, in milliseconds. */
const DOUBT_MS = 7 * 24 * 3_600_000;

/** A removed name is reserved for as long as its DNS leads here; what cannot be asked may still do so. */
async function keepReserved(
  trx: Transaction<Database>,
  { id, removed_at }: DomainRow,
  { verdict, pointsHere }: DnsCheck,
  at: number,
): Promise<void> {
  const isInDoubt = verdict.code === 'dns_error' && at - (removed_at ?? at) < DOUBT_MS;
  if (pointsHere || isInDoubt) {
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
    await recordDomainEvent(trx, id, at, 'returned', 'Its DNS leads here again.');
    return false;
  }
  const message = `The DNS of ${hostname} no longer leads here. ${verdict.message}`;
  await recordDomainEvent(trx, id, at, 'moved_away', message);
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
  await cancelCertificate(trx, holder, at);
  if (holder.removed_at !== null) {
    await deleteDomain(trx, holder.id);
    return;
  }
  await updateDomain(trx, holder.id, {
    holds: 0,
    verified_at: null,
    moved_away_at: null,
    hsts_max_age: null,
  });
  await clearCheckResult(trx, holder.id);
  const message = `Another project proved with a TXT record that it controls ${holder.hostname}, and has it now.`;
  await recordDomainEvent(trx, holder.id, at, 'lost', message);
  await recordSiteChange(trx, holder.project_id, at);
  await queueNotice(trx, at, {
    type: 'domain.lost',
    projectId: holder.project_id,
    hostname: holder.hostname,
    message: `${message} To get it back, add the TXT record that the domain's page shows and click Verify.`,
  });
}
