import { absent } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import { findToken, insertToken, revokeToken, touchToken } from '../store/tokens.ts';
import type { UserRow } from '../store/users.ts';
import type { MadeToken } from './account.ts';
import { readName } from './accounts.ts';
import type { Caller } from './caller.ts';
import { hashSecret, makeSecret, randomId } from './secrets.ts';

const DAY_MS = 86_400_000;

/** The use of a token is written down at most this often, in milliseconds. */
const TOUCH_MS = 60_000;

/** What every token begins with, so that it is known when it leaks. */
const TOKEN_PREFIX = 'dash_';

type TokenDeps = Pick<Deps, 'db' | 'now'>;

/** Makes a token with a user's rights, in one project or in all (`project` null). */
export async function makeToken(
  { db, now }: TokenDeps,
  user: UserRow,
  input: {
    name: string;
    project: { id: string; slug: string } | null;
    expiresInDays?: number | null | undefined;
  },
  actor: Actor,
): Promise<MadeToken> {
  const secret = makeSecret(TOKEN_PREFIX);
  const at = now();
  const { project, expiresInDays } = input;
  const expiresAt = expiresInDays ? at + expiresInDays * DAY_MS : null;
  const id = `tok_${randomId(16)}`;
  const name = readName(input.name);
  await db.transaction().execute(async (trx) => {
    await insertToken(trx, {
      id,
      token_hash: hashSecret(secret),
      user_id: user.id,
      name,
      project_id: project?.id ?? null,
      created_at: at,
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    });
    await writeAudit(trx, at, actor, {
      action: 'token.create',
      projectId: project?.id ?? null,
      target: name,
      details: { id, project: project?.slug ?? null, user: user.email },
    });
  });
  return {
    id,
    name,
    project: project?.slug ?? null,
    owner: user.email,
    createdAt: new Date(at).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
    token: secret,
  };
}

/** Who comes with a token; undefined when it is none that is good. */
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
    actor: { userId: user.id, name: user.email, via: 'token', ip },
    sessionId: undefined,
    onlyProject: token.project_id,
  };
}

/** Revokes a token of a user, or one for a project alone. Throws ApiError where there is none. */
export async function endToken(
  { db, now }: TokenDeps,
  id: string,
  of: { userId: string } | { projectId: string },
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const token = await revokeToken(trx, id, of, now());
    if (!token) throw absent('token');
    await writeAudit(trx, now(), actor, {
      action: 'token.revoke',
      projectId: token.project_id,
      target: token.name,
      details: { id },
    });
  });
}
