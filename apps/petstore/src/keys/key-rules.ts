import { type Refusal, refusal } from '../refusal.ts';
import { generateKey, type KeyRecord, type NewKey } from './key.ts';

/** When a key is replaced, and when its successor ends. */
export interface RotationOrder {
  readonly at: Date;
  /** The replaced key works until then, unless it expires sooner. */
  readonly until: Date;
  /** When the successor expires; where undefined, it lives as long as the key was created for. */
  readonly expiresAt?: Date | undefined;
}

/** The outcome of a rotation. */
export interface Rotation {
  /** The key before the rotation. */
  readonly replaced: KeyRecord;
  /** When it expires now. */
  readonly until: Date;
  readonly successor: NewKey;
}

/** Whether a key can be used at a moment. */
export function isValid({ revokedAt, expiresAt }: KeyRecord, at: Date): boolean {
  return !revokedAt && (expiresAt === undefined || at < expiresAt);
}

/**
 * Makes the successor of a key, with the same name, scopes and environment. Refuses it for a key that no longer works,
 * and for one that already has a successor: of two successors one would be forgotten.
 */
export function rotate(
  key: KeyRecord | undefined,
  { at, until, expiresAt }: RotationOrder,
): Rotation | Refusal {
  if (!key) return refusal('not_found', 'No key has this id.');
  const { id, name, environment, scopes } = key;
  const instead = 'Create a new one: petstore keys create --name NAME';
  if (key.revokedAt) {
    return refusal('conflict', `${id} was revoked on ${key.revokedAt.toISOString()}. ${instead}`);
  }
  if (!isValid(key, at)) {
    return refusal('conflict', `${id} expired on ${key.expiresAt?.toISOString()}. ${instead}`);
  }
  if (key.replacedBy !== undefined) {
    return refusal(
      'conflict',
      `${id} was rotated already: ${key.replacedBy} replaces it. Rotate that one, or revoke ${id} to end it sooner.`,
    );
  }
  const end = expiresAt ?? endOfSuchALife(key, at);
  return {
    replaced: key,
    until: key.expiresAt && key.expiresAt < until ? key.expiresAt : until,
    successor: generateKey(name, environment, at, { scopes, ...(end && { expiresAt: end }) }),
  };
}

function endOfSuchALife({ createdAt, expiresAt }: KeyRecord, at: Date): Date | undefined {
  return expiresAt && new Date(at.getTime() + expiresAt.getTime() - createdAt.getTime());
}
