import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { AuditEvent, NewAuditEvent } from '../audit/audit-event.ts';
import type { CategoryInput, CategoryPatch } from '../categories/category.ts';
import type { StoredEvent } from '../events/event.ts';
import type { NotedEvents } from '../events/event-group.ts';
import type { FaultStore } from '../faults/fault-store.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../keys/key.ts';
import type { Rotation, RotationOrder } from '../keys/key-rules.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { OrderEnd } from '../orders/order-rules.ts';
import type { PetFields, PetPatch, PetStatus } from '../pets/pet.ts';
import type { Precondition } from '../precondition.ts';
import type { SharedQuotas } from '../rate-limits/quota.ts';
import type { Refusal } from '../refusal.ts';
import type { ChallengeRun } from '../report/challenge-run.ts';
import type { RecordBounds } from '../report/record-bounds.ts';
import type { RecordedRequest, RequestBatch } from '../report/recorded-request.ts';
import type { OnMigration } from './migration.ts';
import type { SandboxSeed } from './sandbox/seeded-state.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

/**
 * The contract between the service and every database engine.
 *
 * An engine promises: a call that resolved has happened and survives a crash of the process and of the machine; what
 * one process has written, every later call of any process on the same database sees.
 *
 * A caller must tolerate: any call may reject with (or, where it returns at once, throw) StoreUnavailableError, at any
 * time, and may be tried again later. A write that was rejected with it has usually not happened; it may have, when the
 * database went away meanwhile. Any other rejection is a defect.
 *
 * What a rule of a resource refuses changes nothing, and the call resolves with the refusal. Rules see the database as
 * it is in the transaction that writes; no other write comes between.
 */
export interface Store extends ResourceStore {
  readonly pets: BulkPetStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly idempotentResults: IdempotentResultStore;
  /** What happened to animals and orders: the log of each store. */
  readonly events: EventLogs;
  readonly sandboxes: SandboxRows;
  /** Who is sent these, and how far that is. */
  readonly webhooks: WebhookStore;
  readonly faults: FaultStore;
  readonly reports: ReportStore;
  /**
   * Only for engines that notice changes at the cost of a function call. Such an engine also returns `findUnrevoked`,
   * `get` and `list` at once, never with a promise.
   */
  readonly changes?: Changes;
  /** Only for engines of many processes; with any other, each process counts for itself. */
  readonly sharedQuotas?: SharedQuotas;
  /**
   * Only for engines with one writer for all processes: takes the writes of other processes, as their `groupWriter`.
   */
  readonly writeGroup?: GroupWriter;
  /**
   * How many writes wait, and the capacity; more are refused with StoreOverloadedError. On SQLite the group that is under
   * way counts as well.
   */
  readonly writeQueue: { readonly length: number; readonly capacity: number };
  /** Checks whether the store can work now. They never reject, and may take as long as any call. */
  readonly checks: {
    /** Whether it can be read. */
    reads(): Promise<Problem | undefined>;
    /** Whether it can be written to. */
    writes(): Promise<Problem | undefined>;
  };
  /** Ends all work and closes the database. No call may follow. */
  close(): Promise<void>;
}

/** What requests for resources read and write: the service's own store, or that of a sandbox. */
export interface ResourceStore {
  readonly pets: PetStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
}

/**
 * Carries out a group of writes that another process of the service has encoded, and returns their results. Both can be
 * sent between processes, in the engine's own form.
 */
export type GroupWriter = (group: readonly unknown[]) => Promise<readonly unknown[]>;

/** Something that does not work now. */
export interface Problem {
  /** A public message: without addresses, paths, names, or words of the engine. */
  readonly message: string;
  /** For the log alone. */
  readonly cause?: unknown;
}

/** Whether earlier reads may be stale. */
export interface Changes {
  /**
   * A number that changes whenever animals, categories, orders or keys of the service may have been committed, by any
   * process, since the last call; what sandboxes and webhooks write does not count. A commit that was acknowledged to
   * anyone before the call is never missed.
   */
  revision(): number;
  /**
   * Looks for changes once for all reads that `work` does. `work` must not write, and everything that it promises to
   * show must have arrived before the call.
   */
  atOneMoment(work: () => void): void;
}

/** What an engine needs besides its address. */
export interface StoreOptions {
  /** Whether a missing database is an error. Otherwise it is created. */
  readonly mustExist?: boolean;
  /**
   * Whether this process may block while the disk works: a command may, a service must not. To block saves the cost of
   * a thread.
   */
  readonly mayBlock?: boolean;
  /** The memory that an engine may use to keep pages, in bytes; 0 keeps none. */
  readonly pageCacheBytes?: number;
  /** Connections to a database server at most, besides the one that listens. */
  readonly poolSize?: number;
  /** Standbys of the database, to read from. */
  readonly replicaUrls?: readonly string[];
  /** Writes that may wait for the database. */
  readonly maxQueuedWrites?: number;
  /** For an engine with one writer: the `writeGroup` of the process that has it. */
  readonly groupWriter?: GroupWriter | undefined;
  /** Called with the progress of a migration, where that may take long. */
  readonly onMigration?: OnMigration;
  /** The log for the operator. */
  readonly log?: Log;
  /** The engine's own metrics. */
  readonly metrics?: Metrics;
}

/** An engine that has the result at hand returns it at once: the hottest paths wait for nothing. */
export type Awaitable<T> = T | Promise<T>;

/** An animal as it is brought in from outside, with its id if it has one already. */
export type ImportedPet = PetFields & { readonly id: bigint | undefined };

/** added; present: the same animal exists; conflict: another animal has the id. */
export type AddOutcome = 'added' | 'present' | 'conflict';

/** A value as finished JSON text. Databases write int64 exactly and much faster than objects could. */
type JsonText = string;

/** What was created or changed, and its new state. */
export interface Written {
  readonly id: bigint;
  readonly json: JsonText;
}

/**
 * A write that happens once, however often it is requested. Its result, or a rule's refusal, is kept in the transaction
 * of the write itself. Whoever sends the same key again gets that result, also from another process.
 *
 * Beside the refusals of rules there are two: `idempotency_mismatch` where the key belongs to another request, and
 * `idempotency_conflict` while the first one has not ended. These are not kept.
 */
export interface Idempotency {
  /** The owner of the key: the same key of another owner is a different one. */
  readonly owner: string;
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** The SHA-256 of everything that identifies the request, in base64. */
  readonly fingerprint: string;
  readonly at: Date;
  /** Results that were kept before this instant do not count. */
  readonly since: Date;
  /** The path of things of this kind. It is kept too, since the first response may have named it. */
  readonly address: string;
}

/** The result of an idempotent write; `address` as it was the first time. */
export type IdempotentResult = Written & Pick<Idempotency, 'address'>;

interface PetStore {
  /** Adds an animal under a new id, greater than every earlier id, those of deleted animals included. */
  create(pet: PetFields): Promise<Written>;
  createIdempotently(idempotency: Idempotency, pet: PetFields): Promise<IdempotentResult | Refusal>;
  /** The animal as a Pet, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /**
   * A page of animals in ascending order of id. While nothing changes an engine may return the same object again, so
   * callers may keep with a page what they derive from it.
   */
  list(query: PetQuery): Awaitable<Page>;
  /** A page of the animals that meet a filter, in ascending order of id. */
  query(search: PetSearch): Promise<Page>;
  /**
   * Changes an animal by the rules of patchPet, and returns it as a Pet. `precondition`: the condition that must hold
   * in the transaction that writes.
   */
  update(id: bigint, patch: PetPatch, precondition?: Precondition): Promise<JsonText | Refusal>;
  /** Deletes an animal, by the rules of refuseRemoval. `precondition` as for update. */
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
}

/** What there is besides for the commands, which bring many animals in and out. */
export interface BulkPetStore extends PetStore {
  /**
   * Adds many animals in one transaction, in order. One whose id is taken is left out, and its outcome says why. Later
   * ids are greater than all of these.
   */
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
  /** `precondition`: the condition that the category must meet in the transaction that writes. */
  update(
    id: bigint,
    patch: CategoryPatch,
    precondition?: Precondition,
  ): Promise<JsonText | Refusal>;
  remove(id: bigint, precondition?: Precondition): Promise<'removed' | Refusal>;
}

export interface OrderStore {
  /** Places an order by the rules of refuseOrder; its animal becomes pending. */
  place(petId: bigint, at: Date): Promise<Written | Refusal>;
  placeIdempotently(idempotency: Idempotency, petId: bigint): Promise<IdempotentResult | Refusal>;
  /** The order as an Order, or undefined. */
  get(id: bigint): Awaitable<JsonText | undefined>;
  /** A page of orders in ascending order of id. */
  list(query: OrderQuery): Awaitable<Page>;
  /**
   * Ends an order and releases its animal, by the rules of endOrder. Returns the order. `precondition`: the condition
   * that the order must meet in the transaction that writes.
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

/** The kept results of idempotent writes. Each call does a bounded piece of work. */
export interface IdempotentResultStore {
  /** Deletes up to `count` results that were kept before an instant, the oldest first. Returns how many. */
  deleteBefore(instant: Date, count: number): Promise<number>;
  /** Deletes up to `count` of an owner's results, the oldest first, but not the newest `kept`. Returns how many. */
  deleteBeyond(owner: string, kept: number, count: number): Promise<number>;
}

/**
 * What happened to animals and orders, in order. Each write that changes an animal or an order tells it in its own
 * transaction; `addMany` tells nothing. Events have ids without gaps, and become visible in their order.
 */
export interface EventLog {
  /**
   * Up to `limit` events after an id, 0 for the oldest, in ascending order of id. Resolves with what is kept instead
   * where the next event is no longer kept, or where no event has had this id yet.
   */
  list(after: bigint, limit: number): Awaitable<StoredEvent[] | KeptEvents>;
  /** Which events are kept. */
  kept(): Awaitable<KeptEvents>;
}

/** The ids of the oldest and the newest event that are kept; where there is none yet, oldest is 1 and newest is 0. */
export interface KeptEvents {
  readonly oldest: bigint;
  readonly newest: bigint;
}

/** The logs of all stores of a database. */
export interface EventLogs {
  of(store: string): EventLog;
  /**
   * Deletes up to `count` groups of events of a store, the oldest first: those that were committed before an instant, and
   * those beyond the newest `maxBytes` of events. The newest group stays. Returns how many groups it deleted.
   */
  sweep(
    store: string,
    bounds: { readonly before: Date; readonly maxBytes: number },
    count: number,
  ): Promise<number>;
}

export interface PageQuery {
  /**
   * How many at most, 1 to 100. A page may have fewer items and still be followed by another: an engine with several
   * writers ends it before an item that is about to become visible.
   */
  readonly limit: number;
  /** Only items with a greater id. */
  readonly after: bigint | undefined;
}

interface PetQuery extends PageQuery {
  /** Only animals of this status. */
  readonly status: PetStatus | undefined;
}

/** A page of the animals that meet all of this. */
export interface PetSearch extends PageQuery {
  /** How the name begins, code point by code point; empty for any name. */
  readonly prefix: string;
  /** Undefined for any. */
  readonly categories: readonly bigint[] | undefined;
  readonly statuses: readonly PetStatus[] | undefined;
  /** The first and the last id. */
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /**
   * How many animals may be looked at, met or not. The page ends there, however few have been found, and `next` leads on
   * from there; it is undefined only where nothing at all is left to look at.
   */
  readonly maxExamined: number;
}

interface OrderQuery extends PageQuery {
  /** Only orders of this status. */
  readonly status: OrderStatus | undefined;
}

export interface Page {
  /** A JSON array of the items. */
  readonly json: JsonText;
  /**
   * The id after which the next page starts; undefined when nothing follows. Nothing new will ever
   * become visible between the page's first position and this one.
   */
  readonly next: bigint | undefined;
  /** What the caller derives from the page, kept as long as the page is; engines ignore it. */
  derived?: unknown;
}

/** Every change of a key is recorded in the audit log, in the same transaction. */
export interface KeyStore {
  add(key: NewKey): Promise<void>;
  /** Adds the key if the store has none yet, revoked ones included. Whether it did. */
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

/** The actions of those who run the service. Entries are never changed or deleted. */
export interface AuditStore {
  /** Records an event, in the name of the system user of this process. */
  add(event: NewAuditEvent): Promise<void>;
  /** The newest `limit` events since a moment, the newest last. */
  list(query: { since: Date | undefined; limit: number }): Promise<AuditEvent[]>;
}

/** A sandbox: a small store of its own, with a key of its own, that ends by itself. */
export interface SandboxRecord extends SandboxSeed {
  readonly id: string;
  /** What it is for, for people to read; empty where nobody said. */
  readonly name: string;
  /** Who made it: the id of an API key, the network of an address, or MADE_BY_COMMAND. */
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** How many sandboxes there may be. */
export interface SandboxBounds {
  /** In the whole database. */
  readonly total: number;
  /** Those of one maker that were made since an instant, the deleted ones included. */
  readonly ofMaker: { readonly since: Date; readonly count: number } | undefined;
}

/**
 * Whether a sandbox was added, or which bound stood in the way: that of all, or that of its maker, of whose sandboxes
 * `countedFrom` tells when the first that counts was made.
 */
export type SandboxOutcome = 'added' | 'too_many' | { readonly countedFrom: Date };

/** The data of a sandbox as they were at some time. */
export interface SnapshotRecord {
  readonly name: string;
  readonly createdAt: Date;
  /** What it takes on disk, in bytes. */
  readonly bytes: number;
}

/** What a request needs to know of the sandbox that its key opens. */
export interface FoundSandbox {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** The rules of its faults, as FaultStore has them. */
  readonly faults: string | undefined;
}

/** The stored form of a sandbox; of one that is as its seed made it, `state` is null. */
interface SandboxRow extends SandboxSeed {
  /** Grows with each change. */
  readonly version: number;
  readonly state: Uint8Array | null | undefined;
}

/**
 * What the processes of a service share of sandboxes. A sandbox that is deleted is gone for every call from then on; one
 * that has expired is still found, until it is swept. `store/sandbox/` makes stores of them.
 */
export interface SandboxRows {
  /** Adds one, and records `event` with it. */
  add(
    sandbox: SandboxRecord & { readonly keyHash: KeyHash },
    bounds: SandboxBounds,
    event: NewAuditEvent | undefined,
  ): Promise<SandboxOutcome>;
  /** The sandbox that a key opens. */
  findByKey(hash: KeyHash): Awaitable<FoundSandbox | undefined>;
  get(id: string): Awaitable<SandboxRecord | undefined>;
  /** All of them, the oldest first. */
  list(): Promise<SandboxRecord[]>;
  /** A sandbox as it is now. `state` is undefined where its version is the one that is known. */
  load(id: string, known: number | undefined): Awaitable<SandboxRow | undefined>;
  /** Replaces the state, and tells `events` in the log of the sandbox, if the version is still this one. Whether it was. */
  commit(
    id: string,
    version: number,
    state: Uint8Array,
    events: Pick<NotedEvents, 'count' | 'text'>,
  ): Promise<boolean>;
  /** Makes it again as its seed made it, which tells no events. Its snapshots stay. Whether there is such a sandbox. */
  reset(id: string): Promise<boolean>;
  /** Deletes it, and all that belongs to it, and records `event` with that. Whether there was such a sandbox. */
  remove(id: string, event?: NewAuditEvent): Promise<boolean>;
  /**
   * Deletes up to `count` of those that expired before an instant. What counts for the bounds of makers stays until
   * `forget`. Returns how many rows it has deleted or emptied.
   */
  sweep(instant: Date, forget: Date, count: number): Promise<number>;
  readonly snapshots: {
    /** The oldest first. */
    list(id: string): Promise<SnapshotRecord[]>;
    /** Keeps the data as they are now, in place of an older snapshot of this name. */
    save(
      id: string,
      name: string,
      at: Date,
      max: number,
    ): Promise<'saved' | 'too_many' | 'not_found'>;
    /** Makes the data what they were, which tells no events. */
    restore(id: string, name: string): Promise<'restored' | 'not_found'>;
    remove(id: string, name: string): Promise<'removed' | 'not_found'>;
  };
}

/** What clients of sandboxes asked for, for the report. A sandbox that goes takes it along. */
export interface ReportStore {
  /**
   * Writes requests down, each under the next number of its sandbox, and forgets all but the newest of it: as many as
   * the bounds allow, where the oldest may go beyond the bytes. Those of a sandbox that is gone are left out.
   */
  record(batches: readonly RequestBatch[], bounds: RecordBounds): Promise<void>;
  /** The requests of a sandbox, in the order of their numbers. */
  requests(sandbox: string): Promise<RecordedRequest[]>;
  /** The challenge that a sandbox is at, or was at last. */
  run(sandbox: string): Promise<ChallengeRun | undefined>;
  /** Keeps it, in place of an earlier one. Whether there is such a sandbox. */
  keepRun(sandbox: string, run: ChallengeRun): Promise<boolean>;
}

/** The maker of sandboxes that `petstore sandbox create` makes. */
export const MADE_BY_COMMAND = 'command';

/**
 * Why a database cannot work, as far as that is known. busy: others hold its locks; full: its disk or memory; storage:
 * its files are damaged, gone or read-only; connection: its server cannot be reached; timeout: no response in time;
 * queue_full: too many writes wait for it.
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

/** There is more to do than the database can do soon. Nothing happened. */
export class StoreOverloadedError extends StoreUnavailableError {
  override name = 'StoreOverloadedError';
  /** What there is too much of, as a sentence for clients. */
  readonly publicMessage: string;

  constructor(publicMessage: string) {
    super(publicMessage, { kind: 'queue_full' });
    this.publicMessage = publicMessage;
  }
}

/** A store holds as much as it may, and a write would add to it. Nothing happened. The message is for clients. */
export class StoreFullError extends Error {
  override name = 'StoreFullError';
}

/** The store of a request is no longer there: its sandbox ended meanwhile. */
export class StoreGoneError extends Error {
  override name = 'StoreGoneError';

  constructor() {
    super('the sandbox is gone');
  }
}

/** The error of a full queue of writes. */
export function writeQueueFull(): StoreOverloadedError {
  return new StoreOverloadedError('Too many writes wait for the database.');
}

/**
 * The default number of writes that may wait. A longer queue would only make everybody wait longer for the same number
 * of commits.
 */
export const DEFAULT_MAX_QUEUED_WRITES = 8_192;

/** The engine's own message, for a person at the terminal of the machine. */
export function reason({ message, cause }: StoreUnavailableError): string {
  return cause instanceof Error ? cause.message : message;
}
