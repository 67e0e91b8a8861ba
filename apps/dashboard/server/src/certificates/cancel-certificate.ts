import type { Transaction } from 'kysely';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { deleteCertificate } from '../store/certificates.ts';
import { deleteIssuance, findIssuance, interruptIssuance } from '../store/issuances.ts';
import type { Database } from '../store/schema.ts';

/**
 * Ends what is served and wished for a domain, in the transaction that removes it or gives its name to another
 * project. Whoever works on it throws away what comes of it, and the issuer gives up an order that is open.
 */
export async function cancelCertificate(
  trx: Transaction<Database>,
  domain: { readonly id: string; readonly hostname: string },
  at: number,
): Promise<void> {
  await deleteCertificate(trx, domain.id);
  await deleteChallenges(trx, domain.hostname);
  const issuance = await findIssuance(trx, domain.id);
  if (issuance && issuance.sealed_key !== null) await interruptIssuance(trx, domain.id, at);
  else await deleteIssuance(trx, domain.id);
}
