import { domainToUnicode } from 'node:url';
import type { Access } from '../accounts/caller.ts';
import { presentCertificate, presentIssuance } from '../certificates/present-certificate.ts';
import type { Deps } from '../deps.ts';
import { findCertificate } from '../store/certificates.ts';
import { findCheck } from '../store/domain-checks.ts';
import type { DomainRow } from '../store/domains.ts';
import { findIssuance } from '../store/issuances.ts';
import { findProjectById, type ProjectRow } from '../store/projects.ts';
import type { Domain, LinkedDomain } from './domain.ts';
import { isApex, isHeldElsewhere } from './expectation.ts';
import { recordsOf } from './records.ts';
import type { Verdict } from './verdict.ts';

type PresentDeps = Pick<Deps, 'db' | 'now' | 'config' | 'addresses'>;

/**
 * A domain as a member of its project sees it. The link is for those alone who may verify, since whoever has it
 * may: a viewer would hand on, or use, more than a viewer has.
 */
export async function presentDomain(
  deps: PresentDeps,
  domain: DomainRow,
  { can }: Pick<Access, 'can'>,
): Promise<Domain> {
  const { db, addresses } = deps;
  // As it is now: the request may just have changed it.
  const project = await findProjectById(db, domain.project_id);
  return {
    ...(await presentState(deps, domain)),
    primary: project?.primary_domain_id === domain.id && domain.verified_at !== null,
    verifiedAt: instant(domain.verified_at),
    createdAt: new Date(domain.created_at).toISOString(),
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
  // One that a removed domain had is kept, and is shown and served when the name is verified again.
  const serving = domain.verified_at === null ? undefined : certificate;
  const isActive = serving !== undefined && serving.not_after > now();
  return {
    hostname,
    unicode: domainToUnicode(hostname),
    isApex: isApex(domain),
    state: isActive
      ? ('active' as const)
      : domain.verified_at === null
        ? ('unverified' as const)
        : ('verified' as const),
    records: recordsOf(domain, config, needsProof || isApex(domain)),
    needsProof,
    verdict: check?.verdict ? (JSON.parse(check.verdict) as Verdict) : null,
    checkedAt: instant(check?.checked_at ?? null),
    nextCheckAt: instant(check?.next_check_at ?? null),
    certificate: serving ? presentCertificate(serving) : null,
    issuance: issuance
      ? await presentIssuance(issuance, { db, acme: config.acme, now: now() })
      : null,
    movedAwayAt: instant(domain.moved_away_at),
    url: addresses().domain(hostname),
  };
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
