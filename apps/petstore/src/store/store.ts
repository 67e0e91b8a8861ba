import type { KeyRecord, NewKey } from '../keys/key.ts';
import type { NewPet, PetStatus } from '../pets/pet.ts';

/**
 * What the service asks of a database, whichever it is.
 *
 * An engine promises: a call that resolved has happened and survives a crash of the process and of
 * the machine; a call that rejected has changed nothing, unless it says otherwise; what one process
 * has written, every later call of any process on the same database sees.
 *
 * A caller must tolerate: any call may reject with StoreUnavailableError, at any time, and may be
 * tried again later. Anything else that it rejects with is a defect.
 */
export interface Store {
  readonly pets: PetStore;
  readonly keys: KeyStore;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  /** Ends all work and lets go of the database. No call may follow. */
  close(): Promise<void>;
}

/** A value as finished JSON text. Databases write int64 exactly and much faster than objects could. */
type JsonText = string;

export interface PetStore {
  /**
   * Adds an animal under a new id, greater than every id given before, those of animals that left
   * included.
   */
  create(pet: Required<NewPet>): Promise<{ id: bigint; json: JsonText }>;
  /** The animal as a Pet, or undefined. */
  get(id: bigint): Promise<JsonText | undefined>;
  /** A page of animals in ascending order of id. */
  list(query: PetQuery): Promise<PetPage>;
}

export interface PetQuery {
  /** How many animals at most, 1 to 100. */
  readonly limit: number;
  /** Only animals of this status. */
  readonly status: PetStatus | undefined;
  /** Only animals whose id is greater. */
  readonly after: bigint | undefined;
}

interface PetPage {
  /** An array of Pet. */
  readonly json: JsonText;
  /** The id after which the next page starts; undefined when no animal follows. */
  readonly next: bigint | undefined;
}

export interface KeyStore {
  add(key: NewKey): Promise<void>;
  /** Adds the key if the store has none yet, revoked ones included; tells whether it did. */
  addFirst(key: NewKey): Promise<boolean>;
  /** Whether a key of this hash exists and was not revoked, as of now. */
  isActive(hash: Buffer): Promise<boolean>;
  /** Every key, the oldest first. */
  list(): Promise<KeyRecord[]>;
  /** Revokes a key. A key that was revoked before keeps its first date. */
  revoke(id: string, at: Date): Promise<'revoked' | 'already_revoked' | 'not_found'>;
}

/** The database cannot do its work now: away, locked, full. The cause is for the log alone. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}
