import { instant, instantOrNull } from '../schema-types.ts';
import type { SessionRow } from '../store/sessions.ts';
import type { ListedToken } from '../store/tokens.ts';
import type { UserRow } from '../store/users.ts';
import type { ApiToken, Session, User } from './account.ts';
import { NO_PASSWORD } from './passwords.ts';
import { scopesOf } from './permissions.ts';

export function presentUser(user: UserRow): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    isInstallationOwner: user.role === 'owner',
    isProvisional: user.is_provisional === 1,
    hasPassword: user.password_hash !== NO_PASSWORD,
    createdAt: instant(user.created_at),
  };
}

/** `currentId`: the session of the request. */
export function presentSession(row: SessionRow, currentId: string | undefined): Session {
  return {
    id: row.id,
    isCurrent: row.id === currentId,
    createdAt: instant(row.created_at),
    lastSeenAt: instant(row.last_seen_at),
    expiresAt: instant(row.expires_at),
    ip: row.ip,
    userAgent: row.user_agent,
    method: row.method,
  };
}

export function presentToken(row: ListedToken): ApiToken {
  return {
    id: row.id,
    name: row.name,
    project: row.slug,
    scopes: scopesOf(row),
    owner: row.email,
    createdAt: instant(row.created_at),
    expiresAt: instantOrNull(row.expires_at),
    lastUsedAt: instantOrNull(row.last_used_at),
    revokedAt: instantOrNull(row.revoked_at),
  };
}
