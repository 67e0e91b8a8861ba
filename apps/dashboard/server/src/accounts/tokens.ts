import { invalidRequest, notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { revokeInvitationsOf } from '../projects/invitation-state.ts';
import { writeAudit } from '../store/audit.ts';
import { findProjectForUser, lockProject } from '../store/projects.ts';
import type { Trx } from '../store/schema.ts';
import {
  findToken,
  insertToken,
  revokeTokens,
  type TokenRow,
  type TokensOf,
  touchToken,
} from '../store/tokens.ts';
import type { UserRow } from '../store/users.ts';
import type { CreatedToken } from './account.ts';
import { readName } from './account-input.ts';
import { accessTo, type Caller } from './caller.ts';
import { lockUserWithPassword } from './passwords.ts';
import { DEFAULT_SCOPES, SCOPE_NAMES, type Scope, scopesOf } from './permissions.ts';
import { presentToken } from './present-account.ts';
import { hashSecret, makeSecret, randomId } from './secrets.ts';

const DAY_MS = 86_400_000;

/** The use of a token is recorded at most this often, in milliseconds. */
export const TOUCH_MS = 60_000;

/** The prefix of every token, by which a leaked one is recognized. */
export const TOKEN_PREFIX = 'dash_';

type TokenDeps = Pick<Deps, 'db' | 'now'>;

/**
 * Creates a token with a user's rights as far as its scopes go, in one project or in all (`project` null). Throws
 * ApiError where the user may not give a scope, is no longer a member of the project, or where their password was
 * changed meanwhile: that may have revoked all their tokens.
 */
export async function createToken(
  { db, now }: TokenDeps,
  user: UserRow,
  input: {
    name: string;
    project: { id: string; slug: string } | null;
    scopes?: readonly Scope[] | undefined;
    expiresInDays?: number | null | undefined;
  },
  actor: Actor,
): Promise<CreatedToken> {
  const secret = makeSecret(TOKEN_PREFIX);
  const at = now();
  const { project, expiresInDays } = input;
  const row: TokenRow = {
    id: `tok_${randomId(16)}`,
    token_hash: hashSecret(secret),
    user_id: user.id,
    name: readName(input.name),
    project_id: project?.id ?? null,
    scopes: readScopes(input.scopes ?? DEFAULT_SCOPES, user, project !== null).join(' '),
    created_at: at,
    expires_at: expiresInDays ? at + expiresInDays * DAY_MS : null,
    last_used_at: null,
    revoked_at: null,
  };
  const slug = project?.slug ?? null;
  await db.transaction().execute(async (trx) => {
    await lockUserWithPassword(trx, user);
    if (project) await checkMembership(trx, user, project.id);
    await insertToken(trx, row);
    await writeAudit(trx, at, actor, {
      action: 'token.create',
      projectId: row.project_id,
      target: row.name,
      details: { id: row.id, project: slug, scopes: row.scopes, user: user.email },
    });
  });
  return { ...presentToken({ ...row, slug, email: user.email }), token: secret };
}

/** Each scope once, in a fixed order; every token may read. */
function readScopes(wanted: readonly Scope[], user: UserRow, isForProject: boolean): Scope[] {
  if (wanted.includes('installation') && (isForProject || user.role !== 'owner')) {
    throw invalidRequest(
      "scopes: installation needs a token for all projects, of the installation's owner.",
    );
  }
  return SCOPE_NAMES.filter((scope) => scope === 'read' || wanted.includes(scope));
}

/** Under the lock of the project: a member who is removed meanwhile leaves no token behind. */
async function checkMembership(trx: Trx, user: UserRow, projectId: string): Promise<void> {
  await lockProject(trx, projectId);
  const found = await findProjectForUser(trx, projectId, user.id);
  accessTo({ user, token: undefined }, found);
}

/** The caller with this token; undefined where the token is not valid. */
export async function callerOfToken(
  { db, now }: TokenDeps,
  secret: string,
  ip: string,
): Promise<Caller | undefined> {
  if (!secret.startsWith(TOKEN_PREFIX)) return undefined;
  const at = now();
  const found = await findToken(db, hashSecret(secret), at);
  if (!found) return undefined;
  const { token, user } = found;
  if (at - (token.last_used_at ?? 0) >= TOUCH_MS) await touchToken(db, token.id, at);
  return {
    user,
    actor: {
      userId: user.id,
      name: user.email,
      via: 'token',
      token: { id: token.id, name: token.name },
      ip,
    },
    sessionId: undefined,
    confirmedAt: undefined,
    token: {
      id: token.id,
      scopes: scopesOf(token),
      projectId: token.project_id,
      expiresAt: token.expires_at,
    },
  };
}

/** Revokes a token of a user, or one for a project alone. Throws ApiError where there is none. */
export async function revokeToken(
  { db, now }: TokenDeps,
  id: string,
  of: TokensOf,
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const count = await revokeTokensOf(trx, { ...of, id }, now(), actor);
    if (count === 0) throw notFound('token');
  });
}

/** Revokes tokens, and with them the invitations that were created with them. Returns how many tokens there were. */
export async function revokeTokensOf(
  trx: Trx,
  of: TokensOf,
  at: number,
  actor: Actor,
): Promise<number> {
  const tokens = await revokeTokens(trx, of, at);
  for (const { id, name, project_id } of tokens) {
    await revokeInvitationsOf(trx, { tokenId: id }, at, actor);
    await writeAudit(trx, at, actor, {
      action: 'token.revoke',
      projectId: project_id,
      target: name,
      details: { id },
    });
  }
  return tokens.length;
}
