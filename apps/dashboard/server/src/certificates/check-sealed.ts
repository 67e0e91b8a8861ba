import { findAnyAcmeAccount } from '../store/acme-accounts.ts';
import { findAnyCertificate } from '../store/certificates.ts';
import { findAnySealedIssuance } from '../store/issuances.ts';
import type { Db } from '../store/open-database.ts';
import { findAnyWebhook } from '../store/webhooks.ts';
import { accountKeyContext, certificateKeyContext, type Sealer } from './sealing.ts';

/**
 * Whether the database holds anything sealed. To be asked before the key file is looked for: a process makes
 * its key before it seals with it, so where something is sealed the file is there, or was taken away.
 */
export async function holdsSealed(db: Db): Promise<boolean> {
  for (const find of [
    findAnyAcmeAccount,
    findAnyCertificate,
    findAnySealedIssuance,
    findAnyWebhook,
  ]) {
    if (await find(db)) return true;
  }
  return false;
}

/** Rejects with a UserError where the database holds what was sealed with another key: better now than in the middle of a handshake. */
export async function checkSealed(db: Db, sealer: Sealer): Promise<void> {
  const account = await findAnyAcmeAccount(db);
  if (account) sealer.open(account.sealed_key, accountKeyContext(account.directory_url));
  const certificate = await findAnyCertificate(db);
  if (certificate) {
    sealer.open(certificate.sealed_key, certificateKeyContext(certificate.domain_id));
  }
}
