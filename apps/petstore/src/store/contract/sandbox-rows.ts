import type { NewAuditEvent } from '../../audit/audit-event.ts';
import type { NotedEvents } from '../../events/event-group.ts';
import type { KeyHash } from '../../keys/key.ts';
import type { SandboxSeed } from '../sandbox/seeded-state.ts';
import type { Awaitable } from './awaitable.ts';

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
  /**
   * If the version is still `version`, replaces the state, makes the version `next`, and records `events` in the log;
   * otherwise false. `next`: one that the sandbox never had, also not in a commit that the database has lost since.
   */
  commit(
    id: string,
    { version, next }: { readonly version: number; readonly next: number },
    state: Uint8Array,
    events: Pick<NotedEvents, 'count' | 'text'>,
  ): Promise<boolean>;
  /** Restores the data that the seed gives, without events. Snapshots stay. False where there is no such sandbox. */
  reset(id: string): Promise<boolean>;
  /** Deletes a sandbox with all that belongs to it, and records `event`. False where there was no such sandbox. */
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

/** The stored form of a sandbox; of one that is as its seed made it, `state` is null. */
interface SandboxRow extends SandboxSeed {
  /** Another one after each change. */
  readonly version: number;
  readonly state: Uint8Array | null | undefined;
}

/** What a request needs to know of the sandbox that its key opens. */
export interface FoundSandbox {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** The rules of its faults, as FaultStore has them. */
  readonly faults: string | undefined;
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

/** The maker of sandboxes that `petstore sandbox create` makes. */
export const MADE_BY_COMMAND = 'command';

/** The events of a sandbox that are kept, in bytes: the newest. Each commit deletes what is beyond. */
export const MAX_LOG_BYTES = 256 * 1024;

/** The most groups that a commit deletes: more than it adds. */
export const MAX_SWEPT_GROUPS = 20;
