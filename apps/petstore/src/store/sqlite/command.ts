import type { CategoryWrites } from './category-writes.ts';
import type { EventWrites } from './event-writes.ts';
import type { FaultWrites } from './fault-writes.ts';
import type { IdempotentWrites } from './idempotent-writes.ts';
import type { KeyWrites } from './key-writes.ts';
import type { OrderWrites } from './order-writes.ts';
import type { PetWrites } from './pet-writes.ts';
import type { ReportWrites } from './report-writes.ts';
import type { SandboxWrites } from './sandbox-writes.ts';

/** All kinds of writes. */
export type Writes = PetWrites &
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
   * A write that changes nothing, but waits for its turn like any other. `touchesDisk`: it is also written to the disk,
   * which takes an fsync, and room on the disk.
   */
  probe(touchesDisk: boolean): 'done';
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

export type Value<K extends Kind = Kind> = ReturnType<Writes[K]>;

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

/** The writes that change the database with one statement at the most: SQLite undoes one that fails. */
const OF_ONE_STATEMENT: ReadonlySet<Kind> = new Set<Kind>([
  ...(['createPet', 'updatePet', 'removePet'] as const),
  ...(['createCategory', 'updateCategory', 'removeCategory'] as const),
  ...(['deleteResultsBefore', 'deleteResultsUpTo', 'sweepEvents', 'keepRun', 'probe'] as const),
  ...(['saveSnapshot', 'restoreSnapshot', 'removeSnapshot'] as const),
]);

/** Whether a write changes the database with one statement at the most. Any other needs a savepoint to fail as a whole. */
export function isOneStatement({ kind }: Pick<Command, 'kind'>): boolean {
  return OF_ONE_STATEMENT.has(kind);
}

/**
 * The writes to sandboxes alone, and of when keys were last used, which no cache has. They leave the caches of the
 * service's own pages and keys valid.
 */
const QUIET: ReadonlySet<Kind> = new Set<
  keyof (SandboxWrites & FaultWrites & ReportWrites & KeyWrites)
>([
  ...(['addSandbox', 'commitSandbox', 'resetSandbox', 'removeSandbox', 'sweepSandboxes'] as const),
  ...(['saveSnapshot', 'restoreSnapshot', 'removeSnapshot'] as const),
  ...(['replaceFaults', 'countFaults', 'recordRequests', 'keepRun', 'noteKeyUses'] as const),
]);

/** Whether a write leaves the caches of the service's own pages and keys valid. */
export function isQuiet({ kind }: Pick<Command, 'kind'>): boolean {
  return QUIET.has(kind);
}

/**
 * Whether a write may be acknowledged before it is on disk. A power cut may lose it, but nothing less: the system has
 * it, and it gets to the disk with the next write that waits for that. The fsync is most of what a write costs, for
 * everyone on the machine, and sandboxes are made to try things on. When keys were last used is lost in part by any
 * crash: see KeyUsage. What the audit log records is waited for.
 */
export function needsNoDisk({ kind, args }: Command): boolean {
  return QUIET.has(kind) && !(AUDITED.has(kind) && args.at(-1) !== undefined);
}

/** Those of them whose last argument is an audit event, or undefined. */
const AUDITED: ReadonlySet<Kind> = new Set<Kind>(['addSandbox', 'removeSandbox']);

/**
 * Whether a committed group proves that writes succeed. A probe does not: it is smaller than any other write. Nor does a
 * write that has not met the disk.
 */
export function provesWritesSucceed(commands: readonly Command[]): boolean {
  return commands.some((command) => command.kind !== 'probe' && !needsNoDisk(command));
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
