import { instant } from '../schema-types.ts';
import type { AuditRow } from '../store/audit.ts';
import type { AuditEntry } from './audit-entry.ts';

/** An entry of the log as responses have it. */
export function presentEntry(row: AuditRow): AuditEntry {
  const { id, at, actor, via, ip, action, slug, target, details } = row;
  return {
    id,
    at: instant(at),
    actor,
    via,
    token: row.token_id === null ? null : { id: row.token_id, name: row.token_name ?? '' },
    ip,
    action,
    project: slug,
    target,
    details: JSON.parse(details) as Record<string, unknown>,
  };
}
