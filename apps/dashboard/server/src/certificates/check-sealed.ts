import { findAnyAcmeAccount } from '../store/acme-accounts.ts';
import { findAnyCertificate } from '../store/certificates.ts';
import type { Db } from '../store/open-database.ts';
import { accountKeyContext, certificateKeyContext, type Sealer } from './sealing.ts';

/** Rejects with a UserError where the database holds what was sealed with another key: better now than in the middle of a handshake. */
export async function checkSealed(db: Db, sealer: Sealer): Promise<void> {
  const account = await findAnyAcmeAccount(db);
  if (account) sealer.open(account.sealed_key, accountKeyContext(account.directory_url));
  const certificate = await findAnyCertificate(db);
  if (certificate) {
    sealer.open(certificate.sealed_key, certificateKeyContext(certificate.domain_id));
  }
}
