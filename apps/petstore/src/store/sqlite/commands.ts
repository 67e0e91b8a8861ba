import type { DatabaseSync } from 'node:sqlite';
import { retryWhileLockedSync } from '@petstore/service/sqlite/locks.ts';
import { isUnavailable } from '@petstore/service/sqlite/result-codes.ts';
import { NotedEvents } from '../../events/event-group.ts';
import { OWN_STORE } from '../own-store.ts';
import { type CategoryWrites, prepareCategoryWrites } from './category-writes.ts';
import { type EventWrites, eventAppender, prepareEventWrites } from './event-writes.ts';
import { type FaultWrites, prepareFaultWrites } from './fault-writes.ts';
import { type IdempotentWrites, prepareIdempotentWrites } from './idempotent-writes.ts';
import { APPLICATION_ID } from './open.ts';
import { type OrderWrites, prepareOrderWrites } from './order-writes.ts';
import { type PetWrites, preparePetWrites } from './pet-writes.ts';
import { quietCommits } from './quiet-commits.ts';
import { prepareReportWrites, type ReportWrites } from './report-writes.ts';
import { prepareSandboxWrites, type SandboxWrites } from './sandbox-writes.ts';

/** All kinds of writes. */
type Writes = PetWrites &
  CategoryWrites &
  OrderWrites &
  IdempotentWrites &
  EventWrites &
  SandboxWrites &
  FaultWrites &
  ReportWrites &
  KeyWrites &
  Probe;

interface Probe {
  /**
   * A write that changes nothing, but waits for its turn like any other. `isReal`: it is also written to the disk,
   * which takes an fsync, and room on the disk.
   */
  probe(isReal: boolean): 'done';
}

type Kind = keyof Writes;

/** A write in a form that can be sent to the thread that carries it out. */
export interface Command<K extends Kind = Kind> {
  readonly kind: K;
  readonly args: Parameters<Writes[K]>;
}

/** A command whose caller waits for the result. */
export interface Pending extends Command {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

type Value<K extends Kind = Kind> = ReturnType<Writes[K]>;

/** Resolves with the result of the write when it is committed: on disk, unless needsNoDisk has it. */
export type Write = <K extends Kind>(kind: K, ...args: Parameters<Writes[K]>) => Promise<Value<K>>;

/** Why one command of a group failed alone: it violates the schema. */
interface Failure {
  readonly failed: string;
}

/** The result of one command. */
export type Outcome = Value | Failure;

export function isFailure(outcome: Outcome): outcome is Failure {
  return typeof outcome === 'object' && 'failed' in outcome;
}

/** The writes of what sandboxes have, which change nothing that is kept in memory of the service's own data. */
const QUIET: ReadonlySet<Kind> = new Set<keyof (SandboxWrites & FaultWrites & ReportWrites)>([
  ...(['addSandbox', 'commitSandbox', 'resetSandbox', 'removeSandbox', 'sweepSandboxes'] as const),
  ...(['saveSnapshot', 'restoreSnapshot', 'removeSnapshot'] as const),
  ...(['replaceFaults', 'countFaults', 'recordRequests', 'keepRun'] as const),
]);

/** Whether nobody who keeps animals or keys of the service in memory needs to hear of a write. */
export function isQuiet({ kind }: Pick<Command, 'kind'>): boolean {
  return QUIET.has(kind);
}

/**
 * Whether a write may be acknowledged before it is on disk. A power cut may lose it, but nothing less: the system has
 * it, and it gets to the disk with the next write that waits for that. The fsync is most of what a write costs, for
 * everyone on the machine, and sandboxes are made to try things on. What the audit log records is waited for.
 */
function needsNoDisk({ kind, args }: Command): boolean {
  return QUIET.has(kind) && !(AUDITED.has(kind) && args.at(-1) !== undefined);
}

/** Those of them whose last argument is an audit event, or undefined. */
const AUDITED: ReadonlySet<Kind> = new Set<Kind>(['addSandbox', 'removeSandbox']);

/**
 * Whether a committed group proves that writes succeed. A probe does not: it is smaller than any other write. Nor does a
 * write that has not met the disk.
 */
export function isRealWrite(commands: readonly Command[]): boolean {
  return commands.some((command) => command.kind !== 'probe' && !needsNoDisk(command));
}

/**
 * Makes the function that commits a group of commands as one transaction: one fsync for all of them, if any needs it.
 *
 * The group ends with the events of all that was changed, in one row. One of sandboxes alone is a quiet commit.
 *
 * A command that violates a constraint changes nothing and fails alone. When the database cannot work (locked, full),
 * the function throws, and none of the commands happened.
 */
export function groupCommit(db: DatabaseSync): (commands: readonly Command[]) => Outcome[] {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const noted = new NotedEvents();
  const append = eventAppender(db);
  const writes = prepareWrites(db, noted, append);
  const quietly = quietCommits(db);
  const run = ({ kind, args }: Command): Outcome => {
    noted.mark();
    try {
      return (writes[kind] as (...args: unknown[]) => Value)(...args);
    } catch (error) {
      noted.undo();
      // SQLite rolls back a statement that fails, but not the transaction around it.
      if (isUnavailable(error) || !db.isTransaction) throw error;
      return { failed: String(error) };
    }
  };

  const commitGroup = (commands: readonly Command[]): Outcome[] => {
    retryWhileLockedSync(() => begin.run());
    try {
      const runAll = () => commands.map(run);
      const outcomes = commands.every(isQuiet) ? quietly(runAll) : runAll();
      append(OWN_STORE, noted);
      commit.run();
      return outcomes;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    } finally {
      noted.clear();
    }
  };
  let isWaitingForDisk = true;
  const waitForDisk = () => {
    db.exec('PRAGMA synchronous = FULL');
    isWaitingForDisk = true;
  };
  return (commands) => {
    if (!commands.every(needsNoDisk)) {
      if (!isWaitingForDisk) waitForDisk();
      return commitGroup(commands);
    }
    isWaitingForDisk = false;
    db.exec('PRAGMA synchronous = NORMAL');
    try {
      return commitGroup(commands);
    } finally {
      try {
        waitForDisk();
      } catch {
        // What was committed stays so. The next group that needs the disk tries again, or fails.
      }
    }
  };
}

function prepareWrites(
  db: DatabaseSync,
  noted: NotedEvents,
  append: ReturnType<typeof eventAppender>,
): Writes {
  const events = prepareEventWrites(db);
  const writes = {
    ...preparePetWrites(db, noted),
    ...prepareCategoryWrites(db),
    ...prepareOrderWrites(db, noted),
    ...events,
    ...prepareSandboxWrites(db, append, events),
    ...prepareFaultWrites(db),
    ...prepareReportWrites(db),
    ...prepareKeyWrites(db),
  };
  return {
    ...writes,
    ...prepareIdempotentWrites(db, writes),
    probe: (isReal) => {
      // Writes the existing value, so nothing changes, but its page is written.
      if (isReal) db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      return 'done';
    },
  };
}

/** The writes of keys that the service itself does again and again. */
interface KeyWrites {
  /** When keys were last used: ids, and at the same positions times in milliseconds since 1970. */
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

// The form in which a group of commands is sent to the thread that writes. Messages are copied value by value, and an
// object also costs its members' names each time, so a group is one flat list.

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
