import type { DatabaseSync } from 'node:sqlite';
import type { NewPet } from '../../pets/pet.ts';
import type { AddOutcome, ImportedPet } from '../store.ts';
import { isUnavailable } from './errors.ts';
import { whileBusy } from './open.ts';

/** A write, in a form that can be sent to the thread that does it. */
export type Command = CreatePet | AddPets;

interface CreatePet extends Required<NewPet> {
  readonly kind: 'createPet';
}

interface AddPets {
  readonly kind: 'addPets';
  readonly pets: readonly ImportedPet[];
}

/** What a command gives: a new id; what came of each animal. */
export type ValueOf<C extends Command> = { createPet: bigint; addPets: AddOutcome[] }[C['kind']];

/** What came of one command: its value, or why this one, and it alone, was refused. */
export type Outcome = { readonly value: ValueOf<Command> } | { readonly refused: string };

/**
 * Makes the function that commits a group of commands as one transaction: one fsync for all of them.
 *
 * A command that a constraint refuses changes nothing and fails alone. When the database cannot work
 * (locked, full), the function throws and none of them happened.
 */
export function groupCommit(db: DatabaseSync): (commands: readonly Command[]) => Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const createPet = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  createPet.setReadBigInts(true);
  const addPet = petAdder(db);

  const run = (command: Command): Outcome => {
    try {
      if (command.kind === 'createPet') {
        const { name, categoryId, status } = command;
        return { value: createPet.run(name, categoryId, status).lastInsertRowid as bigint };
      }
      return { value: inSavepoint(db, () => command.pets.map(addPet)) };
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
