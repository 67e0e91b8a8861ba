import { type AuthenticatorAppRow, findAuthenticatorApp } from '../../store/authenticator-apps.ts';
import { listPasskeys, type PasskeyRow } from '../../store/passkeys.ts';
import { countRecoveryCodes } from '../../store/recovery-codes.ts';
import type { Db } from '../../store/schema.ts';
import { ownsSomething, readSecurityPolicy } from '../../store/security-policy.ts';
import type { UserRow } from '../../store/users.ts';

/** The second factors of a user, and what helps when one is lost. */
export interface Factors {
  readonly passkeys: readonly PasskeyRow[];
  readonly app: AuthenticatorAppRow | undefined;
  readonly recoveryCodes: { readonly left: number; readonly createdAt: number } | undefined;
}

export async function factorsOf(db: Db, userId: string): Promise<Factors> {
  return {
    passkeys: await listPasskeys(db, userId),
    app: await findAuthenticatorApp(db, userId),
    recoveryCodes: await countRecoveryCodes(db, userId),
  };
}

/**
 * Whether a user has a second factor. A passkey of another host counts, though no browser offers it here: otherwise a
 * changed address would leave everyone's password alone at the door.
 */
export function hasFactor({ passkeys, app }: Pick<Factors, 'passkeys' | 'app'>): boolean {
  return passkeys.length > 0 || app !== undefined;
}

/** Whether the installation requires a second factor of a user. */
export async function isFactorRequired(db: Db, { id }: Pick<UserRow, 'id'>): Promise<boolean> {
  const { second_factor } = await readSecurityPolicy(db);
  if (second_factor === 'owners') return ownsSomething(db, id);
  return second_factor === 'everyone';
}
