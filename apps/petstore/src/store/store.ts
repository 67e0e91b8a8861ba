import type { SharedQuotas } from '../rate-limits/quota.ts';
import type { AuditStore } from './contract/audit-store.ts';
import type { CategoryStore } from './contract/category-store.ts';
import type { EventLogs } from './contract/event-logs.ts';
import type { FaultStore } from './contract/fault-store.ts';
import type { IdempotentResultStore } from './contract/idempotency.ts';
import type { KeyStore } from './contract/key-store.ts';
import type { OrderStore } from './contract/order-store.ts';
import type { BulkPetStore, PetStore } from './contract/pet-store.ts';
import type { ReportStore } from './contract/report-store.ts';
import type { SandboxRows } from './contract/sandbox-rows.ts';
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
  /** The webhooks: where events are sent, and up to which event each webhook has received them. */
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
