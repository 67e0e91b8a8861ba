import type { Config } from '../config.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { findAcmeAccount } from '../store/acme-accounts.ts';
import { type DomainRow, findOtherHolder } from '../store/domains.ts';
import type { Db } from '../store/open-database.ts';
import type { Authority, Expectation } from './dns/check-dns.ts';
import { zoneOf } from './hostname.ts';
import { proofOf, targetOf } from './records.ts';

/**
 * The names by which CAA records know authorities, by the host of their directory: for as long as no account
 * was made, and for those whose directory does not say (RFC 8555, section 7.1.1).
 */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  'acme-v02.api.letsencrypt.org': ['letsencrypt.org'],
  'acme-staging-v02.api.letsencrypt.org': ['letsencrypt.org'],
  'acme.zerossl.com': ['sectigo.com'],
  'dv.acme-v02.api.pki.goog': ['pki.goog'],
  'acme.ssl.com': ['ssl.com'],
  'api.buypass.com': ['buypass.com'],
};

/** Of an authority that nobody knows: ACME_CAA_IDENTITIES says better. */
const UNKNOWN = ['letsencrypt.org'];

/** Whether a name is a zone's own, where there can be no CNAME. */
export function isApex({ hostname }: Pick<DomainRow, 'hostname'>): boolean {
  return zoneOf(hostname) === hostname;
}

/** Whether another project holds the name of a claim, which then needs the TXT record to get it. */
export async function isHeldElsewhere(db: Db, domain: DomainRow): Promise<boolean> {
  return (await findOtherHolder(db, domain)) !== undefined;
}

/** What the DNS of a domain should say, as things are now. */
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

/** As far as it is known here: nothing is asked of the authority. */
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
