import { replaceRecoveryCodes } from '../../store/recovery-codes.ts';
import type { Trx } from '../../store/schema.ts';
import { hashSecret, randomId } from '../secrets.ts';

const COUNT = 10;

/** 80 bits: nobody tries all of them, not even with the hashes at hand. */
const LENGTH = 16;

/** Replaces a user's recovery codes by ten new ones, which are returned this once: `abcd-efgh-ijkl-mnop`. */
export async function makeRecoveryCodes(trx: Trx, userId: string, at: number): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => randomId(LENGTH));
  const hashes = codes.map((code) => hashRecoveryCode(userId, code));
  await replaceRecoveryCodes(trx, userId, hashes, at);
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
}

/** What is stored of a recovery code, however it was typed: with spaces, in capitals, with 0, 1 and 8 for o, l and b. */
export function hashRecoveryCode(userId: string, typed: string): string {
  const code = typed
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('8', 'b');
  return hashSecret(`recovery code ${userId} ${code}`);
}
