import type { Transaction } from 'kysely';
import type { Database } from '../store/schema.ts';

/**
 * Has a certificate made for a verified domain, in the transaction that verifies it. Where one is under way
 * or there, nothing changes, but that what waits for its next attempt is tried as soon as its budget allows.
 */
export async function requestCertificate(
  _trx: Transaction<Database>,
  _domain: { readonly id: string; readonly hostname: string },
  _at: number,
): Promise<void> {}
