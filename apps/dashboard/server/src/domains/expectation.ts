import type { Config } from '../config.ts';
import type { CanonicalHost } from '../edge/host.ts';
import { findAcmeAccount } from '../store/acme-accounts.ts';
import { type DomainRow, findOtherHolder } from '../store/domains.ts';
import type { Db } from '../store/open-database.ts';
import type { Authority, Expectation } from './dns/check-dns.ts';
import { zoneOf } from './hostname.ts';
import { proofNameOf, targetOf } from './records.ts';

/** The names that CAA records call the authorities by whose directories do not say. */
const LETS_ENCRYPT = 'letsencrypt.org';

/** Whether a claim needs the TXT record: for a zone's own name, and for one that another project holds. */
export async function needsProof(db: Db, domain: DomainRow): Promise<boolean> {
  return zoneOf(domain.hostname) === domain.hostname || !!(await findOtherHolder(db, domain));
}

/** What the DNS of a domain should say, as things are now. */
export async function expectationOf(
  db: Db,
  config: Config,
  domain: DomainRow,
): Promise<Expectation> {
  const proof = { name: proofNameOf(domain.hostname), value: domain.proof };
  return {
    hostname: domain.hostname as CanonicalHost,
    target: targetOf(domain, config),
    proof: (await needsProof(db, domain)) ? proof : undefined,
    authority: await authorityOf(db, config),
  };
}

/** As far as it is known here: nothing is asked of the authority. */
async function authorityOf(db: Db, { acme }: Config): Promise<Authority> {
  const account = await findAcmeAccount(db, acme.directoryUrl);
  const said = account && (JSON.parse(account.directory) as { caaIdentities?: string[] });
  const known = acme.caaIdentities.length > 0 ? acme.caaIdentities : (said?.caaIdentities ?? []);
  return {
    identities: known.length > 0 ? known : [LETS_ENCRYPT],
    accountUri: account?.account_url ?? undefined,
    methods: acme.challenges,
  };
}
