import { domainToUnicode } from 'node:url';
import type { Access } from '../accounts/caller.ts';
import { ANY_DIRECTORY, authorityAt, authorityName } from '../certificates/authorities.ts';
import { type AuthorityFailure, parseTried } from '../certificates/choose-authority.ts';
import { explainProblem, type Problem, parseProblem } from '../certificates/problem.ts';
import { budgetOf } from '../certificates/rate-limits.ts';
import type { AcmeConfig } from '../config-acme.ts';
import type { Deps } from '../deps.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { listPausedAccounts } from '../store/acme-accounts.ts';
import { type CertificateRow, findCertificate } from '../store/certificates.ts';
import { findCheck } from '../store/domain-checks.ts';
import { type DomainRow, findDomain } from '../store/domains.ts';
import { findIssuance, type IssuanceRow } from '../store/issuances.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import type { Db } from '../store/schema.ts';
import { findSiteVersion } from '../store/site-versions.ts';
import { isApex, isHeldElsewhere, recordsOf } from './claim.ts';
import type { Certificate, Domain, Issuance, LinkedDomain } from './domain.ts';
import { otherHalf } from './pair.ts';
import { redirectInWords } from './redirect.ts';
import type { StoredRedirect } from './stored-redirect.ts';
import type { Verdict } from './verdict.ts';
import { isWildcard } from './wildcard.ts';

/** When a first certificate is overdue, in milliseconds. */
const OVERDUE_MS = 30 * 60_000;

type PresentedProblem = NonNullable<Issuance['problem']>;

type PresentDeps = Pick<Deps, 'db' | 'now' | 'config' | 'addresses'>;

/**
 * A domain as a member of its project sees it. Whoever has the link may verify, so that only members who may verify
 * see it.
 */
export async function presentDomain(
  deps: PresentDeps,
  domain: DomainRow,
  { can }: Pick<Access, 'can'>,
): Promise<Domain> {
  const { db, addresses } = deps;
  const { version } = domain;
  // Read anew: the request may have changed it.
  const [project, shown, pair] = await Promise.all([
    findProjectById(db, domain.project_id),
    version === null ? undefined : findSiteVersion(db, domain.project_id, version),
    findOtherHalf(db, domain),
  ]);
  const primaryId = version === null ? project?.primary_domain_id : shown?.primary_domain_id;
  return {
    ...(await presentState(deps, domain)),
    primary: primaryId === domain.id && domain.verified_at !== null,
    version,
    redirect: domain.redirect === null ? null : presentRedirect(domain.redirect),
    pair: pair?.hostname ?? null,
    verifiedAt: instantOrNull(domain.verified_at),
    createdAt: instant(domain.created_at),
    createdBy: domain.created_by_email,
    link: can.includes('domain.verify') ? `${addresses().dashboard}/d/${domain.link_secret}` : null,
    hsts:
      domain.hsts_max_age === null
        ? null
        : {
            maxAgeSeconds: domain.hsts_max_age,
            includeSubdomains: domain.hsts_include_subdomains === 1,
          },
  };
}

/** The domain of the same project that makes a pair with this one; undefined: it has none. */
async function findOtherHalf(db: Db, { hostname, project_id }: DomainRow) {
  const half = otherHalf(hostname);
  return half === undefined ? undefined : findDomain(db, project_id, half);
}

function presentRedirect(stored: string): Domain['redirect'] {
  const { status, keepPath, ...target } = JSON.parse(stored) as StoredRedirect;
  return { to: redirectInWords(target), status, keepPath };
}

/** A domain as whoever has the link sees it. */
export async function presentLinkedDomain(
  deps: PresentDeps,
  { name }: ProjectRow,
  domain: DomainRow,
): Promise<LinkedDomain> {
  return { ...(await presentState(deps, domain)), projectName: name };
}

async function presentState(deps: PresentDeps, domain: DomainRow) {
  const { db, config, now, addresses } = deps;
  const [check, certificate, issuance, needsProof] = await Promise.all([
    findCheck(db, domain.id),
    findCertificate(db, domain.id),
    findIssuance(db, domain.id),
    isHeldElsewhere(db, domain),
  ]);
  const { hostname } = domain;
  // The certificate of a removed domain is kept; it is shown and served when the name is verified again.
  const serving = domain.verified_at === null ? undefined : certificate;
  const isActive = serving !== undefined && serving.not_after > now();
  return {
    hostname,
    unicode: domainToUnicode(hostname),
    isApex: isApex(domain),
    isWildcard: isWildcard(hostname),
    state: isActive
      ? ('active' as const)
      : domain.verified_at === null
        ? ('unverified' as const)
        : ('verified' as const),
    records: recordsOf(domain, config, needsProof || isApex(domain)),
    needsProof,
    verdict: check?.verdict ? (JSON.parse(check.verdict) as Verdict) : null,
    checkedAt: instantOrNull(check?.checked_at ?? null),
    nextCheckAt: instantOrNull(check?.next_check_at ?? null),
    certificate: serving ? presentCertificate(serving) : null,
    issuance: issuance
      ? await presentIssuance(issuance, { db, acme: config.acme, now: now() })
      : null,
    movedAwayAt: instantOrNull(domain.moved_away_at),
    prepare: domain.prepare === 1,
    // Where name servers fail for a while, a verified name leads where it led before.
    pointsHere:
      domain.verified_at === null
        ? check?.points_here === 1
        : domain.awaits_move === 0 && domain.moved_away_at === null,
    url: addresses().domain(hostname),
  };
}

/** A certificate as the API shows it: never its key. */
export function presentCertificate(row: CertificateRow): Certificate {
  return {
    issuer: row.issuer,
    serial: row.serial,
    notBefore: instant(row.not_before),
    notAfter: instant(row.not_after),
    issuedAt: instant(row.issued_at),
    renewAt: instant(row.renew_at),
  };
}

/** A certificate that is wanted or under way, as the API shows it. */
export async function presentIssuance(
  row: IssuanceRow,
  { db, acme, now }: { db: Db; acme: AcmeConfig; now: number },
): Promise<Issuance> {
  const isOneOfSeveral = acme.authorities.length > 1;
  const problem = parseProblem(row.last_problem);
  const isChosen = row.directory_url !== ANY_DIRECTORY;
  const directoryUrl = isChosen ? row.directory_url : acme.authorities[0].directoryUrl;
  const budget = await budgetOf(db, directoryUrl, row.hostname, now);
  return {
    kind: row.kind,
    step: row.step,
    stepAt: instant(row.step_at),
    requestedAt: instant(row.requested_at),
    failures: row.failures,
    nextAttemptAt: instantOrNull(row.next_attempt_at),
    authority: authorityName(directoryUrl),
    isStaging: directoryUrl === acme.stagingDirectoryUrl,
    tried: isOneOfSeveral ? await presentTried(db, acme, row, directoryUrl, now) : [],
    problem: problem ? presentProblem(problem, row.hostname) : null,
    budget: {
      limit: budget.limit,
      left: budget.left,
      // The authority's Retry-After, or a limit of many names, may be later than the budget of this name.
      nextSafeAt: instant(Math.max(budget.nextSafeAt, problem?.retryAt ?? 0)),
    },
    isOverdue: row.kind === 'first' && now - row.requested_at > OVERDUE_MS,
  };
}

/** The other authorities that failed, or are not asked now. */
async function presentTried(
  db: Db,
  acme: AcmeConfig,
  { tried, hostname }: IssuanceRow,
  askedNow: string,
  now: number,
): Promise<Issuance['tried']> {
  const failures = parseTried(tried);
  const isTried = (url: string) => failures.some(({ directoryUrl }) => directoryUrl === url);
  const paused = (await listPausedAccounts(db, now)).flatMap(
    ({ directory_url: directoryUrl, paused_until: until, problem: text }): AuthorityFailure[] => {
      const problem = parseProblem(text);
      return problem && !isTried(directoryUrl) ? [{ directoryUrl, until, problem }] : [];
    },
  );
  return [...failures, ...paused]
    .filter(({ directoryUrl }) => directoryUrl !== askedNow && authorityAt(acme, directoryUrl))
    .map(({ directoryUrl, until, problem }) => ({
      authority: authorityName(directoryUrl),
      problem: presentProblem(problem, hostname),
      nextAt: instantOrNull(until),
    }));
}

function presentProblem(problem: Problem, hostname: string): PresentedProblem {
  const { type, detail, at } = problem;
  return { type, detail, explanation: explainProblem(problem, hostname), at: instant(at) };
}
