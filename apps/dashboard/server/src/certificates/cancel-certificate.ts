import type { Transaction } from 'kysely';
import { deleteChallenges } from '../store/acme-challenges.ts';
import { deleteCertificate } from '../store/certificates.ts';
import { deleteIssuance, findIssuance, interruptIssuance } from '../store/issuances.ts';
import type { Database } from '../store/schema.ts';

/** Ends what is served and wished for a domain, in the transaction that gives its name to another project. */
export async function cancelCertificate(
  trx: Transaction<Database>,
  domain: { readonly id: string },
  at: number,
): Promise<void> {
  await deleteCertificate(trx, domain.id);
  await cancelIssuance(trx, domain, at);
}

/**
 * Ends what is wished for a domain, in the transaction that removes it. Its certificate stays with the
 * reservation, for when the domain is added again: nothing is served of a removed domain. Whoever works on a
 * certificate throws away what comes of it, and the issuer gives up an order that is open.
 */
export async function cancelIssuance(
  trx: Transaction<Database>,
  domain: { readonly id: string },
  at: number,
): Promise<void> {
  await deleteChallenges(trx, domain.id);
  const issuance = await findIssuance(trx, domain.id);
  if (issuance && issuance.sealed_key !== null) await interruptIssuance(trx, domain.id, at);
  else await deleteIssuance(trx, domain.id);
}
