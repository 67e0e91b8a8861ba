import { isPrintable, readEmail, readName } from '../accounts/account-input.ts';
import type { OidcProviderConfig } from './oidc-config.ts';

/** Who a provider says has signed in, checked and cleaned. */
export interface Person {
  readonly issuer: string;
  /** With the issuer, who it is for good. */
  readonly subject: string;
  /** As accounts have it; undefined where the provider gave none that can be used. */
  readonly email: string | undefined;
  /** Whether the provider has verified the address. */
  readonly isVerified: boolean;
  readonly name: string;
  /** The names of their groups; undefined: the provider did not tell, and what is known stays. */
  readonly groups: readonly string[] | undefined;
  /** The provider's own session. */
  readonly sid: string | undefined;
  readonly idToken: string;
  /** When they last proved to the provider who they are, in whole seconds since 1970; undefined: it does not tell. */
  readonly authenticatedAt: number | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

export function personOf(
  claims: Claims & { iss: string; sub: string },
  idToken: string,
  { groupsClaim, verifiedClaim }: Pick<OidcProviderConfig, 'groupsClaim' | 'verifiedClaim'>,
): Person {
  const email = usableEmail(claims.email);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    // Some providers send texts and numbers.
    isVerified: [true, 'true', 1, '1'].includes(claims[verifiedClaim] as boolean),
    name: usableName(claims, email ?? ''),
    groups: groupsClaim === undefined ? undefined : groupsIn(claims, groupsClaim),
    sid: typeof claims.sid === 'string' && claims.sid.length <= 255 ? claims.sid : undefined,
    idToken,
    authenticatedAt: wholeSeconds(claims.auth_time),
  };
}

/** Fractions of a second are allowed (RFC 7519, section 2); the store takes none. */
function wholeSeconds(time: unknown): number | undefined {
  const whole = typeof time === 'number' ? Math.floor(time) : Number.NaN;
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function usableEmail(text: unknown): string | undefined {
  try {
    return typeof text === 'string' ? readEmail(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A name that accounts may have, of what the provider gives; the part before the @ where it gives none. */
function usableName(claims: Claims, email: string): string {
  const parts = [claims.given_name, claims.family_name].filter((part) => typeof part === 'string');
  for (const text of [claims.name, parts.join(' '), claims.preferred_username]) {
    if (typeof text !== 'string') continue;
    // Control characters could make a list of people read as something else.
    const name = text
      .replace(/[^\P{C}\u200c\u200d]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    try {
      return readName([...name].slice(0, 100).join(''));
    } catch {}
  }
  return email.replace(/@.*$/, '') || 'New member';
}

/** More groups, or longer names, than any directory has for one person. */
const MAX_GROUPS = 20_000;
const MAX_GROUP_NAME_LENGTH = 255;

/**
 * The names in a claim: a list, or one name. `undefined` where the provider says that the list is elsewhere, since it is
 * too long for a token (as Entra ID does: `_claim_names`).
 */
function groupsIn(claims: Claims, claim: string): string[] | undefined {
  const value = claimAt(claims, claim);
  const elsewhere = claims._claim_names;
  if (value === undefined && typeof elsewhere === 'object' && elsewhere && claim in elsewhere)
    return undefined;
  const names = Array.isArray(value) ? value : [value];
  const usable = names.filter(
    (name): name is string =>
      // No group here has any other name.
      typeof name === 'string' && isPrintable(name, MAX_GROUP_NAME_LENGTH),
  );
  return usable.slice(0, MAX_GROUPS);
}

/** The value of a claim: by its whole name, or else by a path with dots, such as Keycloak's `realm_access.roles`. */
function claimAt(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let value: unknown = claims;
  for (const part of claim.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Claims)[part];
  }
  return value;
}
