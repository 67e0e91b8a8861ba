import type { DatabaseSync } from 'node:sqlite';
import type { KeyHash } from '../../keys/key.ts';
import { type Store, type StoreOptions, StoreUnavailableError } from '../store.ts';
import { ChangeDetector } from './changes.ts';
import { type Command, groupCommit, type ValueOf } from './commands.ts';
import { translateErrors } from './errors.ts';
import { fileWatch } from './file-watch.ts';
import { sqliteKeys } from './keys.ts';
import { IN_MEMORY, openDatabase } from './open.ts';
import { PageCache } from './page-cache.ts';
import { sqlitePets } from './pets.ts';
import { GroupCommitWriter } from './writer.ts';

/**
 * How long a read may wait for a lock, in milliseconds. Readers wait for nobody in WAL mode, unless
 * another program takes the whole file; the event loop must not wait with it.
 */
const READ_BUSY_TIMEOUT_MS = 50;

const DEFAULT_PAGE_CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Opens the embedded engine on a file, or in memory (`:memory:`, gone with the process). Throws
 * UserError for what the person can mend.
 *
 * A file has two connections: this thread reads, another one writes, unless `mayBlock` says that it
 * need not. A store in memory can have only one, and has no disk to wait for.
 */
export function openSqliteStore(path: string, options: StoreOptions = {}): Store {
  const db = openDatabase(path, options);
  db.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT_MS}`);
  const { write, isWritable, close, hasChanged } =
    path === IN_MEMORY || options.mayBlock
      ? writeHere(path, db)
      : writeElsewhere(path, db, options);

  const pages = new PageCache(options.pageCacheBytes ?? DEFAULT_PAGE_CACHE_BYTES);
  const answers = new Map<KeyHash, boolean>();
  const dropWhatIsOld = () => {
    if (!hasChanged()) return;
    pages.clear();
    answers.clear();
  };
  const fresh =
    <T>(kept: T) =>
    () => {
      dropWhatIsOld();
      return kept;
    };

  const ping = db.prepare('SELECT count(*) FROM sqlite_schema');
  return {
    pets: sqlitePets({ db, write, freshPages: fresh(pages) }),
    keys: sqliteKeys({ db, freshAnswers: fresh(answers) }),
    async ping() {
      translateErrors(() => ping.get());
      if (!isWritable()) throw new StoreUnavailableError('the database cannot be written to');
    },
    async close() {
      await close();
      if (db.isOpen) db.close();
    },
  };
}

interface Writing {
  readonly write: <C extends Command>(command: C) => Promise<ValueOf<C>>;
  readonly isWritable: () => boolean;
  /** Whether anything was committed since it was last asked, by anyone. */
  readonly hasChanged: () => boolean;
  readonly close: () => Promise<void>;
}

function writeHere(path: string, db: DatabaseSync): Writing {
  const commit = groupCommit(db);
  const others = path === IN_MEMORY ? undefined : new ChangeDetector(db, path);
  const isInPlace = path === IN_MEMORY ? () => true : fileWatch(path);
  let isChanged = true;
  return {
    async write<C extends Command>(command: C) {
      if (!isInPlace()) throw new StoreUnavailableError(`${path} was moved, deleted or replaced`);
      const [outcome] = translateErrors(() => commit([command]));
      isChanged = true;
      if (outcome && 'value' in outcome) return outcome.value as ValueOf<C>;
      throw new Error(outcome?.refused);
    },
    isWritable: () => db.isOpen && isInPlace(),
    hasChanged() {
      const wasChanged = others?.hasChanged() || isChanged;
      isChanged = false;
      return wasChanged;
    },
    close: async () => {},
  };
}

function writeElsewhere(path: string, db: DatabaseSync, { log }: StoreOptions): Writing {
  const changes = new ChangeDetector(db, path);
  const isInPlace = fileWatch(path);
  const writer = new GroupCommitWriter(path, {
    onDeath(cause, restartInMs) {
      log?.error({ err: cause, restartInMs }, 'the writer thread died; writes are refused');
    },
  });
  return {
    write: (command) => writer.run(command),
    isWritable: () => writer.isAlive && isInPlace(),
    hasChanged: () => changes.hasChanged(),
    close: () => writer.close(),
  };
}
