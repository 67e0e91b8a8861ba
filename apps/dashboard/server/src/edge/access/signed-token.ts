import { hash } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import type { SigningKey, SiteAccess } from './site-access.ts';

/** The longest token, in characters. */
const MAX_TOKEN_LENGTH = 4_096;

/** How far the clocks of those who sign may be off, in seconds. */
const CLOCK_TOLERANCE_S = 30;

/** The longest time until a token's end, and until that of reading, in seconds. */
const MAX_LIFETIME_S = 7 * 86_400;

/**
 * What a token is for, said by its `typ` (RFC 8725, section 3.11): a link of a browser, which is exchanged once and may be
 * found later in a history; or the access of a program, which sends it with each request (`at+jwt`, RFC 9068).
 */
type Use = 'link' | 'program';

export interface SignedToken {
  readonly keyId: string;
  /** Names what was signed. Not the signature: those of ES256 can be written in two ways. */
  readonly hash: string;
  /** In whole milliseconds since 1970, whatever fractions of a second the claims have (RFC 7519, section 2). */
  readonly expiresAt: number;
  /** When reading ends: `read_until`, or else `exp`. */
  readonly endsAt: number;
}

/** Why a token is refused, for whoever made it. */
export class TokenProblem extends Error {}

const imported = new WeakMap<SigningKey, Promise<CryptoKey | Uint8Array>>();

/**
 * Verifies a token (RFC 7519) by a key of the site's owners: its signature by exactly the key's algorithm, that it is for
 * this site and this use, and that it ends soon enough. Throws TokenProblem.
 */
export async function verifySignedToken(
  token: string,
  use: Use,
  { keys, origin }: Pick<SiteAccess, 'keys' | 'origin'>,
  now: number,
): Promise<SignedToken> {
  if (token.length > MAX_TOKEN_LENGTH)
    throw new TokenProblem(`It is longer than ${MAX_TOKEN_LENGTH} characters.`);
  // Loaded on first use: most edges have no site with keys.
  const { decodeProtectedHeader, errors, importJWK, jwtVerify } = await import('jose');
  let key: SigningKey | undefined;
  try {
    const { kid, typ } = decodeProtectedHeader(token);
    if (typ !== undefined && typeof typ !== 'string')
      throw new TokenProblem('Its `typ` is no text.');
    const isForPrograms = /^(?:application\/)?at\+jwt$/i.test(typ ?? '');
    if (isForPrograms !== (use === 'program'))
      throw new TokenProblem(
        use === 'program'
          ? 'Its header says no `typ` of `at+jwt`, so it is for a link.'
          : 'Its header says `typ` `at+jwt`, so it is for programs and not for a link.',
      );
    key = keys.find((one) => one.kid === kid);
    if (!key) throw new TokenProblem('No key of this site has its `kid`.');
    const publicKey =
      imported.get(key) ?? importJWK(JSON.parse(key.publicKey) as JWK, key.algorithm);
    imported.set(key, publicKey);
    const { payload } = await jwtVerify(token, await publicKey, {
      algorithms: [key.algorithm],
      audience: origin,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
      requiredClaims: ['aud', 'exp'],
    });
    const { exp = 0, read_until: until = exp } = payload;
    const latest = now / 1_000 + MAX_LIFETIME_S + CLOCK_TOLERANCE_S;
    if (exp > latest) throw new TokenProblem('Its `exp` is more than 7 days away.');
    if (typeof until !== 'number' || until > latest)
      throw new TokenProblem('Its `read_until` is no time within 7 days.');
    const signed = token.slice(0, token.lastIndexOf('.'));
    return {
      keyId: key.id,
      hash: hash('sha256', signed, 'hex'),
      expiresAt: Math.ceil((exp + CLOCK_TOLERANCE_S) * 1_000),
      endsAt: Math.floor(until * 1_000),
    };
  } catch (error) {
    if (error instanceof TokenProblem) throw error;
    if (error instanceof errors.JWTExpired) throw new TokenProblem('It has expired.');
    if (error instanceof errors.JWTClaimValidationFailed)
      throw new TokenProblem(
        error.claim === 'aud'
          ? `Its \`aud\` is not ${origin}.`
          : `Its \`${error.claim}\` is missing or wrong.`,
      );
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw new TokenProblem('It is malformed, or its signature is wrong.');
    throw error;
  }
}
