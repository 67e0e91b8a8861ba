import type { AcmeConfig } from '../config.ts';
import type { Authority } from '../domains/dns/check-dns.ts';
import { findAcmeAccount } from '../store/acme-accounts.ts';
import type { Db } from '../store/open-database.ts';
import { parseDirectory } from './acme/authority-client.ts';

/** Where the authority was never asked and nothing is configured. */
const LETS_ENCRYPT = 'letsencrypt.org';

/** What CAA records must allow, as configured or as the authority said of itself last. Asks it nothing. */
export async function caaAuthority(db: Db, acme: AcmeConfig): Promise<Authority> {
  const account = await findAcmeAccount(db, acme.directoryUrl);
  const said = account ? parseDirectory(account.directory).caaIdentities : [];
  const identities = [acme.caaIdentities, said, [LETS_ENCRYPT]].find(({ length }) => length > 0);
  return {
    identities: identities ?? [],
    accountUri: account?.account_url ?? undefined,
    methods: acme.challenges,
  };
}
