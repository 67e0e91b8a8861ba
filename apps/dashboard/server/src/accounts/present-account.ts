import type { SessionRow } from '../store/sessions.ts';
import type { ListedToken } from '../store/tokens.ts';
import type { UserRow } from '../store/users.ts';
import type { ApiToken, Session, User } from './account.ts';
import { scopesOf } from './tokens.ts';

export function presentUser({ id, email, name, role, created_at }: UserRow): User {
  return {
    id,
    email,
    name,
    isInstallationOwner: role === 'owner',
    createdAt: new Date(created_at).toISOString(),
  };
}

/** `currentId`: the session that asks. */
export function presentSession(row: SessionRow, currentId: string | undefined): Session {
  return {
    id: row.id,
    isCurrent: row.id === currentId,
    createdAt: new Date(row.created_at).toISOString(),
    lastSeenAt: new Date(row.last_seen_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
    ip: row.ip,
    userAgent: row.user_agent,
  };
}

export function presentToken(row: ListedToken): ApiToken {
  const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    name: row.name,
    project: row.slug,
    scopes: scopesOf(row),
    owner: row.email,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: instant(row.expires_at),
    lastUsedAt: instant(row.last_used_at),
    revokedAt: instant(row.revoked_at),
  };
}
