import { randomId } from '../accounts/secrets.ts';
import type { Actor } from '../audit/actor.ts';
import type { Config } from '../config.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { findAcmeAccount } from '../store/acme-accounts.ts';
import { type DomainRow, findOtherHolder } from '../store/domains.ts';
import type { Db } from '../store/schema.ts';
import { type Authority, type Expectation, recordsToCreate } from './dns/expectation.ts';
import { PROOF_LABEL, zoneOf } from './hostname.ts';
import type { DnsRecord } from './verdict.ts';

/** The value of a claim's TXT record. Nobody can guess its 160 bits. */
export function makeProof(): string {
  return `docs-verify=${randomId(32)}`;
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
    // 100 bits: nobody gets another claim's target by chance, or by trying.
    target_label: randomId(20),
    proof: makeProof(),
    link_secret: randomId(32),
    verified_at: null,
    holds: 0,
    created_at: at,
    created_by_email: name,
    removed_at: null,
    moved_away_at: null,
    hsts_max_age: null,
    hsts_include_subdomains: 0,
  };
}

/** The claim's own host below the platform's, to which its CNAME must point. */
function targetOf(
  { target_label }: Pick<DomainRow, 'target_label'>,
  { platformHost }: Pick<Config, 'platformHost'>,
): CanonicalHost {
  return `${target_label}.${platformHost}` as CanonicalHost;
}

/** The TXT record that proves ownership of a name. */
function proofOf({ hostname, proof }: Pick<DomainRow, 'hostname' | 'proof'>) {
  return { name: `${PROOF_LABEL}.${hostname}`, value: proof };
}

/** The records to create for a claim. */
export function recordsOf(
  domain: DomainRow,
  config: Pick<Config, 'platformHost'>,
  isProofNeeded: boolean,
): DnsRecord[] {
  return recordsToCreate({
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: isProofNeeded ? proofOf(domain) : undefined,
  });
}

/**
 * The names of authorities in CAA records, by the host of their directory: used before there is an account, and for
 * directories without `caaIdentities` (RFC 8555, section 7.1.1).
 */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  'acme-v02.api.letsencrypt.org': ['letsencrypt.org'],
  'acme-staging-v02.api.letsencrypt.org': ['letsencrypt.org'],
  'acme.zerossl.com': ['sectigo.com'],
  'dv.acme-v02.api.pki.goog': ['pki.goog'],
  'acme.ssl.com': ['ssl.com'],
  'api.buypass.com': ['buypass.com'],
};

/** For an unknown authority; ACME_CAA_IDENTITIES sets the right one. */
const UNKNOWN = ['letsencrypt.org'];

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
  return {
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: isApex(domain) || (await isHeldElsewhere(db, domain)) ? proofOf(domain) : undefined,
    authority: await authorityOf(db, config),
  };
}

/** The authority as far as it is stored or configured. No request is sent. */
async function authorityOf(db: Db, { acme }: Config): Promise<Authority> {
  const account = await findAcmeAccount(db, acme.directoryUrl);
  const said = account && (JSON.parse(account.directory) as { caaIdentities?: string[] });
  const lists = [acme.caaIdentities, said?.caaIdentities ?? []];
  const listed = lists.find(({ length }) => length > 0);
  return {
    identities: listed ?? IDENTITIES[new URL(acme.directoryUrl).hostname] ?? UNKNOWN,
    accountUri: account?.account_url ?? undefined,
    methods: acme.challenges,
  };
}
