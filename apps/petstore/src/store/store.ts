import type { Log } from '@petstore/service/log.ts';
import type { AuditEvent, NewAuditEvent } from '../audit/audit-event.ts';
import type { CategoryInput, CategoryPatch } from '../categories/category.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../keys/key.ts';
import type { Rotation, RotationOrder } from '../keys/key-rules.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { OrderEnd } from '../orders/order-rules.ts';
import type { PetFields, PetPatch, PetStatus } from '../pets/pet.ts';
import type { Precondition } from '../precondition.ts';
import type { SharedQuotas } from '../rate-limits/quota.ts';
import type { Refusal } from '../refusal.ts';
import type { Metrics } from '../telemetry/instruments.ts';
import type { OnMigration } from './migration.ts';

/**
 * What the service asks of a database, whichever it is.
 *
 * An engine promises: a call that resolved has happened and survives a crash of the process and of
 * the machine; what one process has written, every later call of any process on the same database
 * sees.
 *
 * A caller must tolerate: any call may reject with (or, where it returns at once, throw)
 * StoreUnavailableError, at any time, and may be tried again later. A write that was rejected so has
 * usually not happened; it may have, when the database went away while it was under way. Anything
 * else that a call rejects with is a defect.
 *
 * What a rule of a resource refuses changes nothing, and the call resolves with the refusal. Rules
 * see the database as it is in the transaction that writes; no other write comes between.
 */
export interface Store {
  readonly pets: PetStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly idempotentResults: IdempotentResultStore;
  /**
   * Only engines that can tell at the cost of a function call have it; such an engine also returns
   * `findActive`, `get` and `list` at once, never with a promise.
   */
  readonly changes?: Changes;
  /** Only engines of many processes have it; with any other, each process counts for itself. */
  readonly sharedQuotas?: SharedQuotas;
  /** Only engines with one writer for all processes have it: takes the writes of others, as their `groupWriter`. */
  readonly writeGroup?: GroupWriter;
  /** Writes that wait or are under way, and how many may; more are refused with StoreOverloadedError. */
  readonly writeQueue: { readonly length: number; readonly capacity: number };
  /** Looks, each at one thing, whether the store can work now. Never rejects; may take as long as any call. */
  readonly checks: {
    /** Can it be read? */
    reads(): Promise<Problem | undefined>;
    /** Can it be written to? */
    writes(): Promise<Problem | undefined>;
  };
  /** Ends all work and lets go of the database. No call may follow. */
  close(): Promise<void>;
}

/**
 * Does a group of writes, which another process of the service has encoded, and gives what came of each. What it takes
 * and gives can be sent from process to process, and is the engine's own.
 */
export type GroupWriter = (group: readonly unknown[]) => Promise<readonly unknown[]>;

/** Something that does not work now. */
export interface Problem {
  /** A sentence for anyone: without addresses, paths, names, or what the engine said. */
  readonly message: string;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** Tells whether what was read before may be another thing now. */
export interface Changes {
  /**
   * A number that is another one whenever anything may have been committed, by any process, since it
   * was last asked; what was acknowledged to anyone before the call is never missed.
   */
  revision(): number;
  /**
   * Looks for changes once, and spares all reads that `work` makes from looking again. It must not
   * write, and what it promises must have arrived before the call.
   */
  atOneMoment(work: () => void): void;
}

/** What an engine needs besides its address. */
export interface StoreOptions {
  /** Whether a database that is not there is an error, instead of a reason to make it. */
  readonly mustExist?: boolean;
  /**
   * Whether this process may stand still while the disk works, as a command may and a service must
   * not. Saves what a thread costs.
   */
  readonly mayBlock?: boolean;
  /** What an engine that keeps pages in memory may use for them, in bytes; 0 keeps none. */
  readonly pageCacheBytes?: number;
  /** Connections to a database server at most, besides the one that listens. */
  readonly poolSize?: number;
  /** Standbys of the database, to read from. */
  readonly replicaUrls?: readonly string[];
  /** Writes that may wait for the database. */
  readonly maxQueuedWrites?: number;
  /** Where an engine with one writer has its writes done by another process, that one's `writeGroup`. */
  readonly groupWriter?: GroupWriter | undefined;
  /** Told what becomes of the schema while it is brought up to date, where that may take long. */
  readonly onMigration?: OnMigration;
  /** Where it tells what an operator should know. */
  readonly log?: Log;
  /** Where it counts and measures its own work. */
  readonly metrics?: Metrics;
}

/** An engine that has the result at hand returns it at once: the hottest paths wait for nothing. */
type Awaitable<T> = T | Promise<T>;

/** An animal as it is brought in from outside, with its id if it has one already. */
export type ImportedPet = PetFields & { readonly id: bigint | undefined };

/** added; present: the same animal was there; conflict: another animal has the id. */
export type AddOutcome = 'added' | 'present' | 'conflict';

/** A value as finished JSON text. Databases write int64 exactly and much faster than objects could. */
type JsonText = string;

/** What was made or changed, and what it is now. */
export interface Written {
  readonly id: bigint;
  readonly json: JsonText;
}

/**
 * A write that happens once, however often it is asked for. What came of it, a rule's refusal
 * included, is kept in the transaction of the write itself, and whoever asks again with the same key
 * is given that, also by another process.
 *
 * Beside the refusals of rules there are two: `idempotency_mismatch` where the key belongs to another
 * request, and `idempotency_conflict` while the first one has not ended. These are not kept.
 */
export interface Idempotency {
  /** Whose key it is: the same key of another owner is another one. */
  readonly owner: string;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** The SHA-256 of everything that makes it this request, in base64. */
  readonly fingerprint: string;
  readonly at: Date;
  /** What was kept before this instant counts no more. */
  readonly since: Date;
  /** Where things of this kind are found. It is kept too, since the first response may have named it. */
  readonly address: string;
}

/** What a write that happens once has come to; `address` as it was the first time. */
export type IdempotentResult = Written & Pick<Idempotency, 'address'>;

export interface PetStore {
  /**
   * Adds an animal under a new id, greater than every id given before, those of animals that left
   * included.
   */
  create(pet: PetFields): Promise<Written>;
  createIdempotently(idempotency: Idempotency, pet: PetFields): Promise<IdempotentResult | Refusal>;
  /** The animal as a Pet, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /**
   * A page of animals in ascending order of id. While nothing changes an engine may give the same
   * object again, so what is derived from a page may be kept with it.
   */
  list(query: PetQuery): Awaitable<Page>;
  /**
   * Changes an animal as patchPet has it; gives it as a Pet. `precondition`: what must be so of it in the
   * transaction that writes.
   */
  update(id: bigint, patch: PetPatch, precondition?: Precondition): Promise<JsonText | Refusal>;
  /** Takes an animal out of the store, as refuseRemoval allows. `precondition` as for update. */
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
  /** Adds many animals in one transaction, in order; one whose id is taken is left out, and its outcome says why. Ids given later are greater than all of them. */
  addMany(pets: readonly ImportedPet[]): Promise<AddOutcome[]>;
  /** Up to `count` animals after an id, in ascending order, each as JSON text: for export. `next` as in Page. */
  rows(
    after: bigint | undefined,
    count: number,
  ): Promise<{ lines: JsonText[]; next: bigint | undefined }>;
}

export interface CategoryStore {
  create(category: CategoryInput): Promise<Written | Refusal>;
  createIdempotently(
    idempotency: Idempotency,
    category: CategoryInput,
  ): Promise<IdempotentResult | Refusal>;
  /** The category as a Category, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /** A page of categories in ascending order of id. */
  list(query: PageQuery): Awaitable<Page>;
  /** `precondition`: what must be so of the category in the transaction that writes. */
  update(
    id: bigint,
    patch: CategoryPatch,
    precondition?: Precondition,
  ): Promise<JsonText | Refusal>;
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
}

export interface OrderStore {
  /** Places an order as refuseOrder allows; its animal becomes pending with it. */
  place(petId: bigint, at: Date): Promise<Written | Refusal>;
  placeIdempotently(idempotency: Idempotency, petId: bigint): Promise<IdempotentResult | Refusal>;
  /** The order as an Order, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /** A page of orders in ascending order of id. */
  list(query: OrderQuery): Awaitable<Page>;
  /**
   * Ends an order as endOrder has it, and its animal's wait with it; gives it as an Order. `precondition`: what must
   * be so of the order in the transaction that writes.
   */
  end(
    id: bigint,
    end: OrderEnd,
    at: Date,
    precondition?: Precondition,
  ): Promise<JsonText | Refusal>;
  endIdempotently(
    idempotency: Idempotency,
    id: bigint,
    end: OrderEnd,
    precondition?: Precondition,
  ): Promise<IdempotentResult | Refusal>;
}

/** What is kept of writes that happen once. Each call does a bounded piece of work. */
export interface IdempotentResultStore {
  /** Forgets up to `count` results that were kept before an instant, the oldest first; how many. */
  deleteBefore(instant: Date, count: number): Promise<number>;
  /** Forgets up to `count` of an owner's results, the oldest first, but not the newest `kept`; how many. */
  deleteBeyond(owner: string, kept: number, count: number): Promise<number>;
}

export interface PageQuery {
  /**
   * How many at most, 1 to 100. A page may hold fewer and still be followed by another: an engine
   * with many writers at once ends it before one that is about to become visible.
   */
  readonly limit: number;
  /** Only those whose id is greater. */
  readonly after: bigint | undefined;
}

interface PetQuery extends PageQuery {
  /** Only animals of this status. */
  readonly status: PetStatus | undefined;
}

interface OrderQuery extends PageQuery {
  /** Only orders of this status. */
  readonly status: OrderStatus | undefined;
}

export interface Page {
  /** An array of what was asked for. */
  readonly json: JsonText;
  /**
   * The id after which the next page starts; undefined when nothing follows. Nothing new will ever
   * become visible between the page's first position and this one.
   */
  readonly next: bigint | undefined;
  /** Room for what the caller makes of the page, kept as long as the page is; engines leave it alone. */
  derived?: unknown;
}

/** Whatever is done to a key is put on record (`audit`) in the transaction that does it. */
export interface KeyStore {
  add(key: NewKey): Promise<void>;
  /** Adds the key if the store has none yet, revoked ones included; tells whether it did. */
  addFirst(key: NewKey): Promise<boolean>;
  /** The key of this hash, if there is one that was not revoked, as of now. It may have expired. */
  findActive(hash: KeyHash): Awaitable<ActiveKey | undefined>;
  /** The id of the key of this hash, revoked or not. */
  idOf(hash: KeyHash): Promise<string | undefined>;
  /** Every key, the oldest first. */
  list(): Promise<KeyRecord[]>;
  /** Revokes a key. A key that was revoked before keeps its first date. */
  revoke(id: string, at: Date): Promise<'revoked' | 'already_revoked' | 'not_found'>;
  /** Gives a key a successor, as `rotate` of key-rules.ts has it. */
  rotate(id: string, order: RotationOrder): Promise<Rotation | Refusal>;
  /** Revokes the successor; the key that it replaced lives on as if nothing had been. */
  undoRotation(rotation: Rotation, at: Date): Promise<void>;
  /**
   * Writes down when keys were last used, by id, in milliseconds since 1970. A time that is before the
   * one that is known, and a key that is not there, change nothing.
   */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** Who did what, of those who run the service. Nothing in it is changed or deleted. */
export interface AuditStore {
  /** Puts an event on record, under the name of the user of the system that this process runs as. */
  add(event: NewAuditEvent): Promise<void>;
  /** The newest `limit` events from a moment on, the newest last. */
  list(query: { since: Date | undefined; limit: number }): Promise<AuditEvent[]>;
}

/**
 * Why a database cannot work, as far as it is known. busy: others hold its locks; full: its disk or memory;
 * storage: its files are damaged, gone or read-only; connection: the way to its server; timeout: no response
 * in time; queue_full: more waits for it than may.
 */
export const UNAVAILABLE_KINDS = [
  'busy',
  'full',
  'storage',
  'connection',
  'timeout',
  'queue_full',
  'other',
] as const;

export type UnavailableKind = (typeof UNAVAILABLE_KINDS)[number];

/** The database cannot do its work now: away, locked, full. The cause is for the log alone. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
  readonly kind: UnavailableKind;

  constructor(message: string, options: { cause?: unknown; kind?: UnavailableKind } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = options.kind ?? 'other';
  }
}

/** More is asked of the database than it can do soon. Nothing happened. */
export class StoreOverloadedError extends StoreUnavailableError {
  override name = 'StoreOverloadedError';
  /** What there is too much of, as a sentence for clients. */
  readonly publicMessage: string;

  constructor(publicMessage: string) {
    super(publicMessage, { kind: 'queue_full' });
    this.publicMessage = publicMessage;
  }
}

/** The one for writes. */
export function writeQueueFull(): StoreOverloadedError {
  return new StoreOverloadedError('Too many writes wait for the database.');
}

/**
 * Writes that may wait where no option says how many. A longer queue would only make everybody wait
 * longer for the same number of commits.
 */
export const DEFAULT_MAX_QUEUED_WRITES = 8_192;

/** What the engine itself said, for a person at the terminal of the machine. */
export function reason({ message, cause }: StoreUnavailableError): string {
  return cause instanceof Error ? cause.message : message;
}
