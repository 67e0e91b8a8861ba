import type { DatabaseSync } from 'node:sqlite';
import { type CategoryWrites, prepareCategoryWrites } from './category-writes.ts';
import { isUnavailable } from './errors.ts';
import { type IdempotentWrites, prepareIdempotentWrites } from './idempotent-writes.ts';
import { APPLICATION_ID, retryWhileLockedSync } from './open.ts';
import { type OrderWrites, prepareOrderWrites } from './order-writes.ts';
import { type PetWrites, preparePetWrites } from './pet-writes.ts';

/** Every write that there is. */
type Writes = PetWrites & CategoryWrites & OrderWrites & IdempotentWrites & KeyWrites & Probe;

interface Probe {
  /**
   * Changes nothing, but has to wait for its turn as any other. `isReal`: and is written to the disk
   * like any other, which takes an fsync, and room on the disk.
   */
  probe(isReal: boolean): 'done';
}

type Kind = keyof Writes;

/** A write that is to be done: a form that can be sent to the thread that does it. */
export interface Command<K extends Kind = Kind> {
  readonly kind: K;
  readonly args: Parameters<Writes[K]>;
}

/** One that waits for what comes of it. */
export interface Pending extends Command {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

export type Value<K extends Kind = Kind> = ReturnType<Writes[K]>;

/** Resolves with what a write gives when it is on disk. */
export type Write = <K extends Kind>(kind: K, ...args: Parameters<Writes[K]>) => Promise<Value<K>>;

/** Why one command, and it alone, failed: what it would have stored is against the schema. */
interface Failure {
  readonly failed: string;
}

/** What came of one command. */
export type Outcome = Value | Failure;

export function isFailure(outcome: Outcome): outcome is Failure {
  return typeof outcome === 'object' && 'failed' in outcome;
}

/** Whether a group that was committed shows that writes succeed: a probe is smaller than any other. */
export function isRealWrite(commands: readonly Command[]): boolean {
  return commands.some(({ kind }) => kind !== 'probe');
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
      return { failed: String(error) };
    }
  };

  return (commands) => {
    retryWhileLockedSync(() => begin.run());
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
  const writes = {
    ...preparePetWrites(db),
    ...prepareCategoryWrites(db),
    ...prepareOrderWrites(db),
    ...prepareKeyWrites(db),
  };
  return {
    ...writes,
    ...prepareIdempotentWrites(db, writes),
    probe: (isReal) => {
      // What stands there already, so nothing changes, but its page is written.
      if (isReal) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      return 'done';
    },
  };
}

/** The writes of keys that the service itself makes again and again. */
interface KeyWrites {
  /** When keys were last used: ids, and at the same places times in milliseconds since 1970. */
  noteKeyUses(ids: readonly string[], times: readonly number[]): 'done';
}

function prepareKeyWrites(db: DatabaseSync): KeyWrites {
  const update = db.prepare(
    `UPDATE api_keys SET last_used_at = :at
     WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :at)`,
  );
  return {
    noteKeyUses(ids, times) {
      for (const [i, id] of ids.entries()) update.run({ id, at: times[i] ?? null });
      return 'done';
    },
  };
}

// How a group of commands travels to the thread that writes. What can be sent is copied value by
// value, and an object costs its members' names each time; so a group is one flat list.

/** In turn: the kind of a command, how many arguments it has, the arguments. */
export type GroupMessage = readonly unknown[];

export function encodeGroup(commands: Iterable<Command>): GroupMessage {
  const message: unknown[] = [];
  for (const { kind, args } of commands) message.push(kind, args.length, ...args);
  return message;
}

export function decodeGroup(message: GroupMessage): Command[] {
  const commands: Command[] = [];
  for (let at = 0; at < message.length; ) {
    const start = at + 2;
    const end = start + Number(message[at + 1]);
    commands.push({ kind: message[at], args: message.slice(start, end) } as Command);
    at = end;
  }
  return commands;
}
