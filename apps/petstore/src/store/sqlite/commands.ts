import type { DatabaseSync } from 'node:sqlite';
import type { PetStatus } from '../../pets/pet.ts';
import type { AddOutcome, ImportedPet } from '../store.ts';
import { isUnavailable } from './errors.ts';
import { whileBusy } from './open.ts';

/** Every write that there is. */
interface Writes {
  /** Gives the new id. */
  createPet(name: string, categoryId: bigint, status: PetStatus): bigint;
  /** Gives what came of each animal; all of them are added, or none. */
  addPets(pets: readonly ImportedPet[]): AddOutcome[];
  /** Changes nothing, but has to wait for its turn to write as any other. */
  probe(): 'done';
}

type Kind = keyof Writes;

/** A write that is to be done: a form that can be sent to the thread that does it. */
export interface Command<K extends Kind = Kind> {
  readonly kind: K;
  readonly args: Parameters<Writes[K]>;
}

export type Value<K extends Kind = Kind> = ReturnType<Writes[K]>;

/** Resolves with what a write gives when it is on disk. */
export type Write = <K extends Kind>(kind: K, ...args: Parameters<Writes[K]>) => Promise<Value<K>>;

/** Why one command, and it alone, was refused. */
export interface Refusal {
  readonly refused: string;
}

/** What came of one command. */
export type Outcome = Value | Refusal;

export function isRefusal(outcome: Outcome): outcome is Refusal {
  return typeof outcome === 'object' && 'refused' in outcome;
}

/**
 * Makes the function that commits a group of commands as one transaction: one fsync for all of them.
 *
 * A command that a constraint refuses changes nothing and fails alone. When the database cannot work
 * (locked, full), the function throws and none of them happened.
 */
export function groupCommit(db: DatabaseSync): (commands: readonly Command[]) => Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const writes = prepareWrites(db);
  const run = ({ kind, args }: Command): Outcome => {
    try {
      return (writes[kind] as (...args: unknown[]) => Value)(...args);
    } catch (error) {
      // SQLite undoes a statement that fails, but not the transaction that it stands in.
      if (isUnavailable(error) || !db.isTransaction) throw error;
      return { refused: String(error) };
    }
  };

  return (commands) => {
    whileBusy(() => begin.run());
    try {
      const outcomes = commands.map(run);
      commit.run();
      return outcomes;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
}

function prepareWrites(db: DatabaseSync): Writes {
  const insertPet = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  insertPet.setReadBigInts(true);
  const addPet = petAdder(db);
  return {
    createPet(name, categoryId, status) {
      return insertPet.run(name, categoryId, status).lastInsertRowid as bigint;
    },
    addPets(pets) {
      return inSavepoint(db, () => pets.map(addPet));
    },
    probe() {
      return 'done';
    },
  };
}

function petAdder(db: DatabaseSync): (pet: ImportedPet) => AddOutcome {
  // A NULL id lets AUTOINCREMENT give one; it follows the ids that are given here upwards by itself.
  const insert = db.prepare(
    `INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
  );
  const isSame = db.prepare(
    'SELECT 1 FROM pets WHERE id = ? AND name = ? AND category_id = ? AND status = ?',
  );
  return ({ id = null, name, categoryId, status }) => {
    if (insert.run(id, name, categoryId, status).changes === 1) return 'added';
    return isSame.get(id, name, categoryId, status) ? 'present' : 'conflict';
  };
}

/** All of a piece of work, or nothing of it and what it threw. */
function inSavepoint<T>(db: DatabaseSync, work: () => T): T {
  db.exec('SAVEPOINT command');
  try {
    return work();
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK TO command');
    throw error;
  } finally {
    if (db.isTransaction) db.exec('RELEASE command');
  }
}
