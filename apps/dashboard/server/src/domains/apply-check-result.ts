import type { Actor } from '../audit/actor.ts';
import { parseProblem } from '../certificates/problem.ts';
import {
  cancelCertificate,
  ensureCertificate,
  handOverCertificate,
} from '../certificates/request-certificate.ts';
import type { Sealer } from '../certificates/sealing.ts';
import { queueDomainNotice } from '../notices/queue-notice.ts';
import { mayHaveDomains } from '../quotas/bounds.ts';
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
  listWildcardsAbove,
  lockDomains,
  replaceChallengeLabel,
  updateDomain,
} from '../store/domains.ts';
import { ConcurrentChangeError } from '../store/errors.ts';
import { findIssuance } from '../store/issuances.ts';
import { lockProjects, type ProjectRow } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import { lockSites, recordSiteChange } from '../store/sites.ts';
import {
  nextPreparedCheck,
  nextRemovedCheck,
  nextUnverifiedCheck,
  nextVerifiedCheck,
} from './check-schedule.ts';
import { makeLabel, makeProof } from './claim.ts';
import { type CheckResult, mayLeadHere } from './dns/judge.ts';
import { tellWhenQuiet } from './move/quiet-domain.ts';
import { becomePrimary } from './primary.ts';
import type { Verdict } from './verdict.ts';
import { isWildcard } from './wildcard.ts';

interface CheckContext {
  readonly at: number;
  readonly actor: Actor;
  readonly sealer: Sealer;
  /** The claim as it was when the check began, which says what it looked for. */
  readonly asChecked: DomainRow;
  /** Whether the check looked up the TXT record. The result is in the verdict. */
  readonly proofWasRequired: boolean;
  /** The checks of the domain as the check began; undefined: whether another one ended meanwhile does not matter. */
  readonly checksBefore: DomainCheckRow | undefined;
}

/**
 * Stores the result of a check and changes the domain accordingly. Returns the projects whose sites change;
 * undefined where another project came to hold the name since the check began, the check looked for records that the
 * claim no longer has, or another check ended meanwhile, which may have begun later: then the check is repeated.
 */
export async function applyCheckResult(
  trx: Trx,
  id: string,
  result: CheckResult,
  context: CheckContext,
): Promise<string[] | undefined> {
  const { at } = context;
  const beforeLock = await findDomainById(trx, id);
  if (!beforeLock) return [];
  // A project that verifies a name takes it from its holder, and the proofs of all other claims are replaced.
  const mayTakeName = result.verdict.code === 'verified' && beforeLock.verified_at === null;
  const others = mayTakeName ? await listOtherClaims(trx, beforeLock) : [];
  const { projects, domains } = await lockAll(trx, beforeLock, others);
  const project = projects.find((locked) => locked.id === beforeLock.project_id);
  const domain = domains.find((locked) => locked.id === id);
  const check = domain && (await findCheck(trx, id));
  if (!project || !domain || !check) return [];
  if (context.checksBefore && hasCheckEnded(context.checksBefore, check)) return undefined;

  if (domain.removed_at !== null) {
    return keepOrRelease(trx, domain, result, at);
  }
  if (!hasSameRecords(domain, context.asChecked)) return undefined;
  const isVerified = domain.verified_at !== null;
  const mayVerify = await mayHaveDomains(trx, project);
  const becomesVerified = !isVerified && result.verdict.code === 'verified' && mayVerify;
  // From here on no other transaction verifies a name.
  if (becomesVerified) await lockSites(trx);
  const holder = becomesVerified ? await findOtherHolder(trx, domain) : undefined;
  if (holder && !context.proofWasRequired) return undefined;
  const isHolderLocked =
    !holder ||
    (domains.some((locked) => locked.id === holder.id) &&
      projects.some((locked) => locked.id === holder.project_id));
  // Its holder or state changed before the locks: the transaction is run again.
  if (becomesVerified && !(mayTakeName && isHolderLocked)) throw new ConcurrentChangeError();

  await recordResult(trx, check, result, at);
  if (isVerified) {
    await tellIfChallengeGone(trx, domain, check, result, at);
    if (domain.awaits_move === 1) {
      const change = await recordPreparation(trx, project, domain, check, result, context);
      await updateCheck(trx, id, {
        next_check_at: change
          ? nextVerifiedCheck(at, false)
          : nextPreparedCheck(check.began_at, at),
      });
      return change ? [project.id] : [];
    }
    const isMovedAway = await recordMove(trx, domain, result, at);
    // The DNS is right: an issuance that waits for a retry may succeed now.
    if (result.verdict.code === 'verified') await ensureCertificate(trx, domain, at);
    await updateCheck(trx, id, { next_check_at: nextVerifiedCheck(at, isMovedAway) });
    if (!isMovedAway) {
      if (domain.moved_away_at === null) return [];
      // The project may have no primary domain: this one could not become it while it led elsewhere.
      await becomePrimary(trx, project, { ...domain, moved_away_at: null }, at);
      await recordSiteChange(trx, project.id, at);
      return [project.id];
    }
    if (domain.moved_away_at !== null) {
      await tellWhenQuiet(trx, domain, domain.moved_away_at, at);
      return [];
    }
    // The edges count the requests that still come.
    await recordSiteChange(trx, project.id, at);
    return [project.id];
  }
  if (!becomesVerified) {
    await updateCheck(trx, id, { next_check_at: nextUnverifiedCheck(check.began_at, at) });
    return [];
  }
  if (holder) {
    await handOverCertificate(trx, context.sealer, holder, domain);
    await takeFromHolder(trx, holder, at);
  }
  await markVerified(trx, project, domain, result, context);
  for (const other of domains) {
    if (other.id !== id) await voidProofs(trx, other);
  }
  const covered = await recordChangeBelowWildcards(trx, domain, at);
  return [project.id, ...(holder ? [holder.project_id] : []), ...covered];
}

/** Whether a check ended meanwhile. Two may end in the same millisecond: then there is one attempt more. */
function hasCheckEnded(before: DomainCheckRow, now: DomainCheckRow): boolean {
  // Where the schedule started over, attempts are counted anew.
  const attempts = now.began_at === before.began_at ? before.attempts : 0;
  return now.checked_at !== before.checked_at || now.attempts !== attempts;
}

/**
 * Whether a claim still has the records that a check looked for. What it found is no proof where they were replaced: the
 * name was proven by another project meanwhile.
 */
function hasSameRecords(domain: DomainRow, checked: DomainRow): boolean {
  return (
    domain.proof === checked.proof &&
    domain.challenge_label === checked.challenge_label &&
    domain.prepare === checked.prepare
  );
}

/**
 * Tells the edges that a name has another holder, or none, below the wildcards of other projects, which show something
 * there where nobody has the name itself. Returns those projects.
 */
async function recordChangeBelowWildcards(
  trx: Trx,
  domain: Pick<DomainRow, 'hostname' | 'project_id'>,
  at: number,
): Promise<string[]> {
  const above = await listWildcardsAbove(trx, domain);
  for (const { project_id } of above) await recordSiteChange(trx, project_id, at);
  return above.map(({ project_id }) => project_id);
}

/** Locks a claim and the others to the same name, with the projects of the claim and of the holder. */
async function lockAll(
  trx: Trx,
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

/** Stores the verdict, and shows it on the timeline where it differs from the one before. */
async function recordResult(
  trx: Trx,
  check: DomainCheckRow,
  result: CheckResult,
  at: number,
): Promise<void> {
  const { domain_id, attempts } = check;
  const { code, reason, message } = result.verdict;
  const { challengeHere, isChallengeInDoubt } = result;
  const before = verdictOf(check);
  if (before?.code !== code || before.reason !== reason) {
    await recordDomainEvent(trx, domain_id, at, 'verdict', message, { code, reason });
  }
  await updateCheck(trx, domain_id, {
    verdict: JSON.stringify(result.verdict),
    points_here: result.pointsHere ? 1 : 0,
    ...(!isChallengeInDoubt && { challenge_here: challengeHere ? 1 : 0 }),
    checked_at: at,
    attempts: attempts + 1,
  });
}

async function markVerified(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  { pointsHere }: CheckResult,
  { at, actor }: CheckContext,
): Promise<void> {
  const { id, hostname } = domain;
  const awaits_move = pointsHere ? 0 : 1;
  await updateDomain(trx, id, { verified_at: at, holds: 1, awaits_move, moved_away_at: null });
  const verified = pointsHere
    ? 'Its DNS records are right: it is verified.'
    : isWildcard(hostname)
      ? 'Its _acme-challenge record is right: it is verified, and needs its own record as well.'
      : 'Its _acme-challenge record is right: it is verified, and can be moved here once it has its certificate.';
  await recordDomainEvent(trx, id, at, 'verified', verified);
  if (pointsHere) {
    const shown = { ...domain, verified_at: at, awaits_move: 0, moved_away_at: null };
    await becomePrimary(trx, project, shown, at);
  }
  await ensureCertificate(trx, { id, hostname }, at);
  await updateCheck(trx, id, {
    next_check_at: pointsHere ? nextVerifiedCheck(at, false) : nextPreparedCheck(at, at),
  });
  const certificate = 'Its certificate usually comes within a couple of minutes.';
  const next = isWildcard(hostname)
    ? 'Create the record of the name itself as well.'
    : 'Change the record of the name itself once it is there.';
  await queueDomainNotice(trx, at, {
    type: 'domain.verified',
    projectId: project.id,
    hostname,
    message: pointsHere
      ? `${hostname} is verified. ${certificate}`
      : `${hostname} is verified by its _acme-challenge record. ${certificate} ${next}`,
  });
  await writeAudit(trx, at, actor, {
    action: 'domain.verify',
    projectId: project.id,
    target: hostname,
  });
  await recordSiteChange(trx, project.id, at);
}

/**
 * Records what was found of a domain that is verified by the record of its challenges alone. Whether its DNS leads here
 * now, for the first time.
 */
async function recordPreparation(
  trx: Trx,
  project: ProjectRow,
  domain: DomainRow,
  before: DomainCheckRow,
  { verdict, pointsHere }: CheckResult,
  { at, actor }: CheckContext,
): Promise<boolean> {
  if (verdict.code !== 'verified') return false;
  const isAsked = pointsHere || actor.via !== 'system';
  if (isAsked || (await mayTryAgain(trx, domain.id, before, at))) {
    await ensureCertificate(trx, domain, at);
  }
  if (!pointsHere) return false;
  await updateDomain(trx, domain.id, { awaits_move: 0 });
  await recordDomainEvent(trx, domain.id, at, 'arrived', 'Its DNS leads here: it has moved.');
  await becomePrimary(trx, project, { ...domain, awaits_move: 0 }, at);
  await recordSiteChange(trx, project.id, at);
  return true;
}

/** A prepared name is checked often, and one that is here once a day: what was given up is tried again as seldom. */
const TRY_AGAIN_MS = 24 * 3_600_000;

/**
 * Whether a check in the background starts the issuance of a prepared name. One that waits for a retry is left alone.
 * One that was given up is tried again when the DNS has become right since the check before, and once a day.
 */
async function mayTryAgain(
  trx: Trx,
  domainId: string,
  before: DomainCheckRow,
  at: number,
): Promise<boolean> {
  const issuance = await findIssuance(trx, domainId);
  if (!issuance) return true;
  if (issuance.next_attempt_at !== null) return false;
  const failedAt = parseProblem(issuance.last_problem)?.at ?? 0;
  return verdictOf(before)?.code !== 'verified' || at - failedAt >= TRY_AGAIN_MS;
}

function verdictOf({ verdict }: DomainCheckRow): Verdict | undefined {
  return verdict === null ? undefined : JSON.parse(verdict);
}

/** Tells the owners where the record of a prepared domain's challenges is gone. */
async function tellIfChallengeGone(
  trx: Trx,
  { id, hostname, project_id: projectId, prepare, awaits_move }: DomainRow,
  before: DomainCheckRow,
  { verdict, challengeHere, isChallengeInDoubt }: CheckResult,
  at: number,
): Promise<void> {
  // Where the name servers fail, nobody knows.
  if (prepare === 0 || verdict.code === 'dns_error' || isChallengeInDoubt) return;
  if (challengeHere || before.challenge_here === 0) return;
  const message = `The _acme-challenge record of ${hostname} is gone.`;
  await recordDomainEvent(trx, id, at, 'challenge_gone', message);
  const follows = isWildcard(hostname)
    ? 'Its certificate cannot be issued or renewed until the record is back.'
    : awaits_move === 1
      ? 'Its certificate cannot be issued or renewed until the record is back, or the name leads here.'
      : 'Its certificate is renewed over ports 80 and 443, as long as the name leads here.';
  await queueDomainNotice(trx, at, {
    type: 'domain.challenge_gone',
    projectId,
    hostname,
    message: `${message} ${follows}`,
  });
}

/**
 * Replaces what would prove another claim to a name that was just proven: a TXT record, or one that leads to a claim's
 * challenges, may stay in a zone for years.
 */
async function voidProofs(trx: Trx, { id }: DomainRow): Promise<void> {
  await updateDomain(trx, id, { proof: makeProof() });
  await replaceChallengeLabel(trx, id, makeLabel());
}

/** How long a removed name whose name servers do not answer stays reserved, in milliseconds. */
const DOUBT_MS = 7 * 24 * 3_600_000;

/**
 * Keeps a removed name reserved while its DNS leads here, also that of its challenges, or may do so. Returns the projects
 * whose sites change.
 */
async function keepOrRelease(
  trx: Trx,
  domain: DomainRow,
  result: CheckResult,
  at: number,
): Promise<string[]> {
  const { id, removed_at } = domain;
  const isUnknown = mayLeadHere(result) || result.isChallengeInDoubt;
  const mayBeHere = isUnknown && at - (removed_at ?? at) < DOUBT_MS;
  if (result.pointsHere || result.challengeHere || mayBeHere) {
    await updateCheck(trx, id, { checked_at: at, next_check_at: nextRemovedCheck(at) });
    return [];
  }
  await deleteDomain(trx, id);
  return recordChangeBelowWildcards(trx, domain, at);
}

/** Records that the DNS of a verified name leads elsewhere, or here again. Whether it leads elsewhere. */
async function recordMove(
  trx: Trx,
  { id, hostname, project_id: projectId, moved_away_at }: DomainRow,
  result: CheckResult,
  at: number,
): Promise<boolean> {
  const { verdict, pointsHere } = result;
  if (mayLeadHere(result)) return moved_away_at !== null;
  if (pointsHere === (moved_away_at === null)) return !pointsHere;
  await updateDomain(trx, id, { moved_away_at: pointsHere ? null : at });
  if (pointsHere) {
    await recordDomainEvent(trx, id, at, 'returned', 'Its DNS leads here again.');
    return false;
  }
  const message = `The DNS of ${hostname} no longer leads here. ${verdict.message}`;
  await recordDomainEvent(trx, id, at, 'moved_away', message);
  await queueDomainNotice(trx, at, {
    type: 'domain.moved_away',
    projectId,
    hostname,
    message: `${message} ${verdict.remedy} If it moved on purpose, remove it here.`,
    details: { verdict },
  });
  return true;
}

/** Takes a name from the project that held it: another one has proven that it controls the DNS. */
async function takeFromHolder(trx: Trx, holder: DomainRow, at: number): Promise<void> {
  await cancelCertificate(trx, holder, at);
  if (holder.removed_at !== null) {
    await deleteDomain(trx, holder.id);
    return;
  }
  await updateDomain(trx, holder.id, {
    holds: 0,
    verified_at: null,
    awaits_move: 0,
    moved_away_at: null,
    hsts_max_age: null,
  });
  await clearCheckResult(trx, holder.id);
  const message = `Another project proved with a record in the DNS that it controls ${holder.hostname}, and has it now.`;
  await recordDomainEvent(trx, holder.id, at, 'lost', message);
  await queueDomainNotice(trx, at, {
    type: 'domain.lost',
    projectId: holder.project_id,
    hostname: holder.hostname,
    message: `${message} To get it back, add the records that the domain's page shows and click Verify.`,
  });
  await recordSiteChange(trx, holder.project_id, at);
}
