import type { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from '@petstore/service/database-url.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import type { ActiveKey, KeyHash } from '../../keys/key.ts';
import type { CategoryStore } from '../contract/category-store.ts';
import type { OrderStore } from '../contract/order-store.ts';
import type { Changes, Problem, Store } from '../store.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../store-errors.ts';
import { DEFAULT_MAX_QUEUED_WRITES, type StoreOptions } from '../store-options.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';
import { WriteHealth, writeMetrics } from '../write-health.ts';
import { sqliteAudit } from './audit.ts';
import { ChangeDetector } from './changes.ts';
import { type Command, isFailure, isQuiet, provesWritesSucceed, type Write } from './command.ts';
import { asUnavailable, problemOf, translateErrors } from './errors.ts';
import { sqliteEventLogs } from './event-logs.ts';
import { sqliteFaults } from './faults.ts';
import { type FileDamage, fileWatch } from './file-watch.ts';
import { groupCommit } from './group-commit.ts';
import { idempotentWriter, sqliteIdempotentResults, type TableDeps } from './idempotency.ts';
import { sqliteKeys } from './keys.ts';
import { openDatabase } from './open.ts';
import { PageCache } from './page-cache.ts';
import { pageReader, rowReader, type Source } from './page-reader.ts';
import { sqlitePets } from './pets.ts';
import { rareWrites } from './rare-writes.ts';
import { RemoteWriteQueue, writeForOthers } from './remote-write-queue.ts';
import { sqliteReports } from './reports.ts';
import { sqliteSandboxes } from './sandboxes.ts';
import { sqliteRunner } from './sql-runner.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * How long a read may wait for a lock, in milliseconds. In WAL mode readers wait for nobody, unless another program
 * locks the whole file; the event loop must not wait for that.
 */
const READ_BUSY_TIMEOUT_MS = 50;

const FILE_PROBLEMS: Readonly<Record<FileDamage, Problem>> = {
  'moved, deleted or replaced': {
    message: 'The database file was moved, deleted or replaced. Bring it back.',
  },
  'cut short': { message: 'The database file was cut short. Restore a backup.' },
};

const WRITER_DOWN: Problem = {
  message: 'The thread that writes has ended. The service starts it again.',
};

const DEFAULT_PAGE_CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Opens the embedded engine on a file, or in memory (`:memory:`, gone with the process). Throws UserError for problems
 * that the user can fix.
 *
 * A file has two connections: this thread reads, another one writes, unless `mayBlock` says that it need not, or
 * another process writes (`groupWriter`). A store in memory can have only one, and has no disk to wait for.
 */
export function openSqliteStore(path: string, options: StoreOptions = {}): Store {
  const db = openDatabase(path, options);
  db.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT_MS}`);
  // Writes of this connection are known without a detector.
  let hasWritten = false;
  const onWrite = () => {
    hasWritten = true;
  };
  const { metrics = new Metrics() } = options;
  const { write, writeQueue, damageToFiles, isWriting, health, close, hasChanged } =
    path === IN_MEMORY || options.mayBlock
      ? writeHere(path, db, onWrite, metrics)
      : writeElsewhere(path, db, metrics, options);

  // Whoever notices a change counts it, so that each cache knows whether it has seen it.
  let revision = 0;
  let isHeld = false;
  const currentRevision = () => {
    if (isHeld) return revision;
    if (hasChanged() || hasWritten) revision++;
    hasWritten = false;
    return revision;
  };
  const readTogether = readTransaction(db);
  const changes: Changes = {
    revision: currentRevision,
    atOneMoment(work) {
      currentRevision();
      isHeld = true;
      try {
        readTogether(work);
      } finally {
        isHeld = false;
      }
    },
  };
  const fresh = <T extends { clear(): void }>(kept: T): (() => T) => {
    let seen = -1;
    return () => {
      if (currentRevision() !== seen) kept.clear();
      seen = revision;
      return kept;
    };
  };
  const pages = new PageCache(options.pageCacheBytes ?? DEFAULT_PAGE_CACHE_BYTES, metrics);

  const refuseDamaged = () => refuseDamage(path, damageToFiles());
  const writeRarely = rareWrites(db, refuseDamaged, onWrite);
  const writeIdempotently = idempotentWriter(write);
  const probe = db.prepare('SELECT count(*) FROM sqlite_schema');
  const databaseProblem = (): Problem | undefined => {
    try {
      const damage = damageToFiles();
      if (damage) return FILE_PROBLEMS[damage];
      probe.get();
      return undefined;
    } catch (error) {
      return problemOf(error);
    }
  };
  const writerProblem = async (): Promise<Problem | undefined> => {
    if (!isWriting()) return WRITER_DOWN;
    const damage = damageToFiles();
    if (damage) return FILE_PROBLEMS[damage];
    if (health.recentFailure !== undefined) return problemOf(health.recentFailure);
    try {
      await write('probe', !health.isGood);
      health.succeeded();
      return undefined;
    } catch (error) {
      // A full queue is not the writer's fault, and is reported by the queue itself.
      return error instanceof StoreOverloadedError ? undefined : problemOf(error);
    }
  };
  return {
    pets: sqlitePets({ db, write, writeIdempotently, freshPages: fresh(pages) }),
    categories: sqliteCategories({ db, write, writeIdempotently }),
    orders: sqliteOrders({ db, write, writeIdempotently }),
    idempotentResults: sqliteIdempotentResults(db, write),
    keys: sqliteKeys({
      db,
      write,
      writeRarely,
      freshKeys: fresh(new Map<KeyHash, ActiveKey | undefined>()),
    }),
    audit: sqliteAudit(db, writeRarely),
    events: sqliteEventLogs(db, write),
    sandboxes: sqliteSandboxes(db, write),
    webhooks: new WebhookStore(sqliteRunner(db, rareWrites(db, refuseDamaged))),
    faults: sqliteFaults(db, write),
    reports: sqliteReports(db, write),
    changes,
    writeGroup: writeForOthers(write),
    writeQueue,
    checks: { reads: async () => databaseProblem(), writes: writerProblem },
    async close() {
      await close();
      if (db.isOpen) db.close();
    },
  };
}

/** Lets several reads share one lock: to take the lock is half the cost of a small read. */
function readTransaction(db: DatabaseSync): (reads: () => void) => void {
  const begin = db.prepare('BEGIN');
  const end = db.prepare('COMMIT');
  return (reads) => {
    try {
      begin.run();
    } catch {
      reads(); // Each read meets the problem and reports it itself.
      return;
    }
    try {
      reads();
    } finally {
      try {
        // SQLite itself ends the transaction after some errors.
        if (db.isTransaction) end.run();
      } catch {
        // On a damaged file, ending it fails as well. The reads have reported that already.
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    }
  };
}

interface Writing {
  readonly write: Write;
  readonly writeQueue: Store['writeQueue'];
  /** What has happened to the database's files since they were opened. */
  readonly damageToFiles: () => FileDamage | undefined;
  /** Whether there is a writer. */
  readonly isWriting: () => boolean;
  readonly health: WriteHealth;
  /** Whether anyone else has committed since the last call. */
  readonly hasChanged: () => boolean;
  readonly close: () => Promise<void>;
}

function refuseDamage(path: string, damage: FileDamage | undefined): void {
  if (damage) throw new StoreUnavailableError(`${path} was ${damage}`, { kind: 'storage' });
}

function writeHere(path: string, db: DatabaseSync, onWrite: () => void, metrics: Metrics): Writing {
  const commit = groupCommit(db);
  const others = path === IN_MEMORY ? undefined : new ChangeDetector(db, path);
  const damageToFiles = path === IN_MEMORY ? () => undefined : fileWatch(path, db);
  const health = new WriteHealth();
  const onCommit = writeMetrics(metrics, () => 0);
  const commitHere = (commands: readonly Command[]) => {
    const startedAt = performance.now();
    try {
      const outcomes = commit(commands);
      onCommit(commands.length, (performance.now() - startedAt) / 1_000);
      if (provesWritesSucceed(commands)) health.succeeded();
      return outcomes;
    } catch (error) {
      health.failed(error);
      throw asUnavailable(error);
    }
  };
  const run = async ({ kind, args }: Command) => {
    refuseDamage(path, damageToFiles());
    const [outcome] = commitHere([{ kind, args }]);
    if (!isQuiet({ kind })) onWrite();
    if (outcome === undefined) throw new Error('the command gave no outcome');
    if (isFailure(outcome)) throw new Error(outcome.failed);
    return outcome;
  };
  return {
    // A command returns a value of its kind.
    write: ((kind, ...args) => run({ kind, args })) as Write,
    // Each is done before the next one starts.
    writeQueue: { length: 0, capacity: 1 },
    damageToFiles,
    isWriting: () => db.isOpen,
    health,
    hasChanged: () => others?.hasChanged() ?? false,
    close: async () => {},
  };
}

function writeElsewhere(
  path: string,
  db: DatabaseSync,
  metrics: Metrics,
  { log, maxQueuedWrites = DEFAULT_MAX_QUEUED_WRITES, groupWriter }: StoreOptions,
): Writing {
  const changes = new ChangeDetector(db, path);
  const queue = groupWriter
    ? new RemoteWriteQueue(groupWriter, maxQueuedWrites)
    : writerThread(path, maxQueuedWrites, metrics, log);
  return {
    write: queue.run,
    writeQueue: queue,
    damageToFiles: fileWatch(path, db),
    isWriting: () => queue.isAlive,
    health: queue.health,
    hasChanged: () => changes.hasChanged(),
    close: () => queue.close(),
  };
}

function writerThread(
  path: string,
  maxQueuedWrites: number,
  metrics: Metrics,
  log: StoreOptions['log'],
): WriteQueue {
  const deaths = metrics
    .counter('petstore_writer_deaths_total', 'How often the thread that writes died.')
    .with();
  const onCommit = writeMetrics(metrics, () => queue.length);
  const queue: WriteQueue = new WriteQueue(path, maxQueuedWrites, {
    onCommit,
    onDeath(cause, restartInMs) {
      deaths.add();
      log?.error({ err: cause, restartInMs }, 'the writer thread died; writes are refused');
    },
  });
  return queue;
}

const CATEGORIES: Source = {
  table: 'categories',
  columns: 'id, name',
  json: `json_object('id', id, 'name', name)`,
};

function sqliteCategories({ db, write, writeIdempotently }: TableDeps): CategoryStore {
  const readCategory = rowReader(db, CATEGORIES);
  const readPage = pageReader(db, CATEGORIES);
  return {
    create: ({ name }) => write('createCategory', name),
    createIdempotently: (idempotency, { name }) =>
      writeIdempotently(idempotency, 'createCategory', name),
    get: (id) => translateErrors(() => readCategory(id)),
    list: (query) => translateErrors(() => readPage(query)),
    update: (id, patch, precondition) => write('updateCategory', id, patch, precondition),
    remove: (id, precondition) => write('removeCategory', id, precondition),
  };
}

const ORDERS: Source = {
  table: 'orders',
  columns: 'id, pet_id, status, placed_at, updated_at',
  json: `json_object('id', id, 'petId', pet_id, 'status', status,
                     'placedAt', placed_at, 'updatedAt', updated_at)`,
};

function sqliteOrders({ db, write, writeIdempotently }: TableDeps): OrderStore {
  const readOrder = rowReader(db, ORDERS);
  const readPage = pageReader(db, ORDERS);
  return {
    place: (petId, at) => write('placeOrder', petId, at),
    placeIdempotently: (idempotency, petId) =>
      writeIdempotently(idempotency, 'placeOrder', petId, idempotency.at),
    get: (id) => translateErrors(() => readOrder(id)),
    list: (query) => translateErrors(() => readPage(query)),
    end: (id, end, at, precondition) => write('endOrder', id, end, at, precondition),
    endIdempotently: (idempotency, id, end, precondition) =>
      writeIdempotently(idempotency, 'endOrder', id, end, idempotency.at, precondition),
  };
}
