import { ApiError } from '@petstore/http/errors.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import {
  type AccountLinkRow,
  deleteAccountLink,
  findAccountLink,
  putAccountLink,
} from '../store/account-links.ts';
import type { Db, Trx } from '../store/schema.ts';
import type { UserRow } from '../store/users.ts';
import { hashSecret, makeSecret } from './secrets.ts';

const HOUR_MS = 3_600_000;

/** How long a link works: one that a person asked for, and one that the owner hands over. */
export const ASKED_LINK_MS = HOUR_MS;
export const GIVEN_LINK_MS = 24 * HOUR_MS;

type Kind = AccountLinkRow['kind'];

/** The pages that links lead to. The secret is the fragment, which no browser sends and no server logs. */
const PAGES: Record<Kind, string> = {
  password: 'reset-password',
  email: 'confirm-email',
  sign_in: 'sign-in/once',
};

/** A link for one person, shown or mailed once. */
export interface AccountLink {
  readonly link: string;
  readonly expiresAt: number;
}

/** Makes a link of a locked user; the earlier one of its kind ends. `email`: the address that it is about. */
export async function makeAccountLink(
  trx: Trx,
  { addresses, now }: Pick<Deps, 'addresses' | 'now'>,
  { id }: UserRow,
  { kind, email, lifetimeMs }: { kind: Kind; email: string; lifetimeMs: number },
): Promise<AccountLink> {
  const secret = makeSecret();
  const at = now();
  await putAccountLink(trx, {
    user_id: id,
    kind,
    token_hash: hashSecret(secret),
    email,
    created_at: at,
    expires_at: at + lifetimeMs,
  });
  return {
    link: `${addresses().dashboard}/${PAGES[kind]}#${secret}`,
    expiresAt: at + lifetimeMs,
  };
}

/** The open link with this secret. Throws ApiError where there is none. */
export async function openAccountLink(
  { db, now }: { db: Db; now: () => number },
  secret: string,
): Promise<AccountLinkRow> {
  const found = await findAccountLink(db, hashSecret(secret), now());
  if (!found) throw linkIsGone();
  return found;
}

const linkIsGone = () =>
  new ApiError('not_found', 'This link was used or has expired. Ask for a new one.');

/** Uses up the open link of a kind; the row. Throws ApiError where there is none. */
export async function useAccountLink(
  trx: Trx,
  now: number,
  kind: Kind,
  secret: string,
): Promise<AccountLinkRow> {
  const found = await openAccountLink({ db: trx, now: () => now }, secret);
  if (found.kind !== kind || !(await deleteAccountLink(trx, found.token_hash))) {
    throw linkIsGone();
  }
  return found;
}

/** Whoever comes with a link is its user. */
export const actorOfLink = ({ id, email }: UserRow, ip: string): Actor => ({
  userId: id,
  name: email,
  via: 'none',
  ip,
});
