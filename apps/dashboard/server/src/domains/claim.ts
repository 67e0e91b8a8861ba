import { randomId } from '../accounts/secrets.ts';
import type { Actor } from '../audit/actor.ts';
import { authorityName, caaIdentities } from '../certificates/authorities.ts';
import type { Config } from '../config.ts';
import type { AuthorityConfig } from '../config-acme.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { findAcmeAccount } from '../store/acme-accounts.ts';
import { type DomainRow, findOtherHolder } from '../store/domains.ts';
import type { Db } from '../store/schema.ts';
import { challengeName } from '../zone/zone-records.ts';
import {
  type ChallengeExpectation,
  type Expectation,
  type NamedAuthority,
  recordsToCreate,
} from './dns/expectation.ts';
import { PROOF_LABEL, zoneOf } from './hostname.ts';
import type { DnsRecord } from './verdict.ts';
import { isWildcard, withoutWildcard } from './wildcard.ts';

/** What the values of all claims' TXT records begin with. */
export const PROOF_PREFIX = 'docs-verify=';

/** The value of a claim's TXT record. Nobody can guess its 160 bits. */
export function makeProof(): string {
  return `${PROOF_PREFIX}${randomId(32)}`;
}

/** The label of a claim's own names. 100 bits: nobody gets another claim's by chance, or by trying. */
export function makeLabel(): string {
  return randomId(20);
}

/** A new claim of a project to a name. */
export function newClaim(
  projectId: string,
  hostname: string,
  at: number,
  { name }: Pick<Actor, 'name'>,
): DomainRow {
  return {
    id: `dom_${randomId(16)}`,
    project_id: projectId,
    hostname,
    target_label: makeLabel(),
    challenge_label: null,
    proof: makeProof(),
    link_secret: randomId(32),
    verified_at: null,
    holds: 0,
    created_at: at,
    created_by_email: name,
    removed_at: null,
    prepare: 0,
    awaits_move: 0,
    moved_away_at: null,
    hsts_max_age: null,
    hsts_include_subdomains: 0,
    version: null,
    redirect: null,
    is_second: 0,
  };
}

/** The claim's own host below the platform's, to which its CNAME must point. */
export function targetOf(
  { target_label }: Pick<DomainRow, 'target_label'>,
  { platformHost }: Pick<Config, 'platformHost'>,
): CanonicalHost {
  return `${target_label}.${platformHost}` as CanonicalHost;
}

/** The record of a claim's challenges where its name is prepared for a move; undefined where it is not. */
function challengeOf(
  domain: DomainRow,
  { dnsZone, platformHost }: Pick<Config, 'dnsZone' | 'platformHost'>,
): ChallengeExpectation | undefined {
  if (domain.prepare === 0 || !dnsZone) return undefined;
  return {
    name: `_acme-challenge.${withoutWildcard(domain.hostname)}`,
    value: challengeName(challengeLabelOf(domain), dnsZone, { platformHost }),
    isAwaitingMove: domain.verified_at === null || domain.awaits_move === 1,
    isForWildcard: isWildcard(domain.hostname),
  };
}

/** The label of a claim's challenges in the installation's zone. */
export function challengeLabelOf({
  challenge_label,
  target_label,
}: Pick<DomainRow, 'challenge_label' | 'target_label'>): string {
  return challenge_label ?? target_label;
}

/** The TXT record that proves ownership of a name. */
function proofOf({ hostname, proof }: Pick<DomainRow, 'hostname' | 'proof'>) {
  return { name: `${PROOF_LABEL}.${withoutWildcard(hostname)}`, value: proof };
}

/** The records to create for a claim. */
export function recordsOf(
  domain: DomainRow,
  config: Pick<Config, 'platformHost' | 'dnsZone'>,
  isProofNeeded: boolean,
): DnsRecord[] {
  return recordsToCreate({
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: isProofNeeded ? proofOf(domain) : undefined,
    challenge: challengeOf(domain, config),
  });
}

/** Whether a name is its zone's apex, which cannot have a CNAME. */
export function isApex({ hostname }: Pick<DomainRow, 'hostname'>): boolean {
  return zoneOf(hostname) === hostname;
}

/** Whether another project holds the name of a claim: then the claim needs the TXT record. */
export async function isHeldElsewhere(db: Db, domain: DomainRow): Promise<boolean> {
  return (await findOtherHolder(db, domain)) !== undefined;
}

/** What the DNS of a domain should say now. */
export async function expectationOf(
  db: Db,
  config: Config,
  domain: DomainRow,
): Promise<Expectation> {
  const challenge = challengeOf(domain, config);
  return {
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: isApex(domain) || (await isHeldElsewhere(db, domain)) ? proofOf(domain) : undefined,
    challenge,
    authorities: await authoritiesOf(db, config, challenge),
  };
}

/** The authorities as far as they are stored or configured, in order. No request is sent. */
async function authoritiesOf(
  db: Db,
  { acme: { authorities } }: Config,
  challenge: ChallengeExpectation | undefined,
): Promise<Expectation['authorities']> {
  const [first, ...others] = authorities;
  return [
    await authorityOf(db, first, challenge),
    ...(await Promise.all(others.map((one) => authorityOf(db, one, challenge)))),
  ];
}

async function authorityOf(
  db: Db,
  authority: AuthorityConfig,
  challenge: ChallengeExpectation | undefined,
): Promise<NamedAuthority> {
  const { directoryUrl, challenges } = authority;
  const account = await findAcmeAccount(db, directoryUrl);
  const said = account && (JSON.parse(account.directory) as { caaIdentities?: string[] });
  return {
    name: authorityName(directoryUrl),
    directoryUrl,
    identities: caaIdentities(authority, said?.caaIdentities ?? []),
    accountUri: account?.account_url ?? undefined,
    methods: challenge ? ['dns-01', ...(isDnsAlone(challenge) ? [] : challenges)] : challenges,
  };
}

/** Whether other challenges than DNS-01 would reach another host, or are not offered (RFC 8555, section 7.1.3). */
function isDnsAlone({ isAwaitingMove, isForWildcard }: ChallengeExpectation): boolean {
  return isAwaitingMove || isForWildcard;
}
