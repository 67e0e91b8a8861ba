import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
import type { Rotation, RotationOrder } from '../../keys/key-rules.ts';
import type { Refusal } from '../../refusal.ts';
import type { Awaitable } from './awaitable.ts';

/** Every change of a key is recorded in the audit log, in the same transaction. */
export interface KeyStore {
  add(key: NewKey): Promise<void>;
  /** Adds the key if the store has none yet, revoked ones included. Resolves with whether it was added. */
  addFirst(key: NewKey): Promise<boolean>;
  /** The key of this hash, unless it was revoked; its expiry is for the caller to look at. */
  findUnrevoked(hash: KeyHash): Awaitable<ActiveKey | undefined>;
  /** The id of the key of this hash, revoked or not. */
  idOf(hash: KeyHash): Promise<string | undefined>;
  /** Every key, the oldest first. */
  list(): Promise<KeyRecord[]>;
  /** Revokes a key. A key that was revoked before keeps its first date. */
  revoke(id: string, at: Date): Promise<'revoked' | 'already_revoked' | 'not_found'>;
  /** Gives a key a successor, by the rules of `rotate` in key-rules.ts. */
  rotate(id: string, order: RotationOrder): Promise<Rotation | Refusal>;
  /** Revokes the successor. The replaced key lives on as if it had not been replaced. */
  undoRotation(rotation: Rotation, at: Date): Promise<void>;
  /**
   * Stores when keys were last used, by id, in milliseconds since 1970. A time before the stored one, and an unknown
   * key, change nothing.
   */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}
