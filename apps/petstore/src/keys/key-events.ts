import type { NewAuditEvent } from '../audit/audit-event.ts';
import type { KeyRecord } from './key.ts';

/** The audit events of keys. `more`: how the event came about. */
export function keyCreated(key: KeyRecord, more: Record<string, unknown> = {}): NewAuditEvent {
  const { id, name, environment, scopes, createdAt, expiresAt } = key;
  return {
    at: createdAt,
    action: 'key.created',
    subject: id,
    detail: { name, environment, scopes, expiresAt: expiresAt?.toISOString() ?? null, ...more },
  };
}

export function keyRevoked(id: string, at: Date): NewAuditEvent {
  return { at, action: 'key.revoked', subject: id, detail: {} };
}

/** `until`: how long the replaced key still works. */
export function keyRotated(key: KeyRecord, successor: KeyRecord, until: Date): NewAuditEvent {
  return {
    at: successor.createdAt,
    action: 'key.rotated',
    subject: key.id,
    detail: { name: key.name, successor: successor.id, until: until.toISOString() },
  };
}

export function rotationReverted(id: string, successorId: string, at: Date): NewAuditEvent {
  return { at, action: 'key.rotation_undone', subject: id, detail: { successor: successorId } };
}
