import { readName } from '../accounts/account-input.ts';
import { lockAsOwner } from '../accounts/lock-as-owner.ts';
import { hashSecret, makeSecret, randomId } from '../accounts/secrets.ts';
import { notFound } from '../api-error.ts';
import type { Actor } from '../audit/actor.ts';
import type { Deps } from '../deps.ts';
import { writeAudit } from '../store/audit.ts';
import {
  findScimToken,
  insertScimToken,
  revokeScimToken,
  type ScimTokenRow,
  touchScimToken,
} from '../store/scim.ts';

/** By which a leaked token is recognised; API tokens have another one. */
const TOKEN_PREFIX = 'scim_';

/** The use of a token is recorded at most this often, in milliseconds. */
const TOUCH_MS = 60_000;

type TokenDeps = Pick<Deps, 'db' | 'now'>;

/** Makes a token for a directory; its secret is known this once. `by`: who makes it, for people. */
export async function createScimToken(
  { db, now }: TokenDeps,
  input: string,
  by: string,
  actor: Actor,
): Promise<{ row: ScimTokenRow; secret: string }> {
  const secret = makeSecret(TOKEN_PREFIX);
  const row: ScimTokenRow = {
    id: `sct_${randomId(16)}`,
    name: readName(input),
    token_hash: hashSecret(secret),
    created_by_email: by,
    created_at: now(),
    last_used_at: null,
    revoked_at: null,
  };
  await db.transaction().execute(async (trx) => {
    await lockAsOwner(trx, actor);
    await insertScimToken(trx, row);
    await writeAudit(trx, row.created_at, actor, {
      action: 'scim_token.create',
      target: row.name,
      details: { id: row.id },
    });
  });
  return { row, secret };
}

/** Revokes a token: the next request with it is refused, in every process. Throws ApiError where there is none. */
export async function endScimToken(
  { db, now }: TokenDeps,
  id: string,
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const name = await revokeScimToken(trx, id, now());
    if (name === undefined) throw notFound('token');
    await writeAudit(trx, now(), actor, {
      action: 'scim_token.revoke',
      target: name,
      details: { id },
    });
  });
}

/** The directory with this token, as the author of what it changes; undefined where the token is not valid. */
export async function directoryOfToken(
  { db, now }: TokenDeps,
  secret: string,
  ip: string,
): Promise<Actor | undefined> {
  if (!secret.startsWith(TOKEN_PREFIX)) return undefined;
  const token = await findScimToken(db, hashSecret(secret));
  if (!token) return undefined;
  const at = now();
  if (at - (token.last_used_at ?? 0) >= TOUCH_MS) await touchScimToken(db, token.id, at);
  const { id, name } = token;
  return { userId: null, name: 'directory', via: 'token', ip, token: { id, name } };
}
