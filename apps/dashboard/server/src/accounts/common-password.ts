import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Read when a password is first set. */
let common: Set<string> | undefined;

/** The fewest different characters of a password: `1111111111` has one, `abababab12` four. */
const MIN_DIFFERENT = 4;

/**
 * Whether a password is among those that are tried first: frequent ones of what became known, in any case (NIST SP
 * 800-63B, section 3.1.1.2), or a few characters again and again. The list has those of ten characters or more among the
 * 30,000 most frequent that zxcvbn ranks (MIT licence).
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  if (new Set(plain).size < MIN_DIFFERENT) return true;
  common ??= new Set(
    gunzipSync(readFileSync(new URL('common-passwords.txt.gz', import.meta.url)))
      .toString()
      .split('\n'),
  );
  return common.has(plain);
}
