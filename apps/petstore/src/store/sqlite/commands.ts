import type { DatabaseSync } from 'node:sqlite';
import type { PetStatus } from '../../pets/pet.ts';
import { isUnavailable } from './errors.ts';

/** A write, in a form that can be sent to the thread that does it. */
interface CreatePet {
  readonly kind: 'createPet';
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

export type Command = CreatePet;

/** What came of one command: its value (a new id), or why this one, and it alone, was refused. */
export type Outcome = { readonly value: bigint } | { readonly refused: string };

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

  const run = ({ name, categoryId, status }: Command): Outcome => {
    try {
      return { value: createPet.run(name, categoryId, status).lastInsertRowid as bigint };
    } catch (error) {
      // SQLite undoes a statement that fails, but not the transaction that it stands in.
      if (isUnavailable(error) || !db.isTransaction) throw error;
      return { refused: String(error) };
    }
  };

  return (commands) => {
    begin.run();
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
