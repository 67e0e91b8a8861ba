import type { Log } from '@petstore/service/log.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { OnMigration } from './migration.ts';
import type { GroupWriter } from './store.ts';

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

/**
 * The default number of writes that may wait. A longer queue would only make everybody wait longer for the same number
 * of commits.
 */
export const DEFAULT_MAX_QUEUED_WRITES = 8_192;
