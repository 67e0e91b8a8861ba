/** The progress of a migration, as far as it can be seen. */
export interface MigrationState {
  /** Whether another process migrates, and this one waits. */
  readonly isOthers: boolean;
  /** When it began, by the database's clock. */
  readonly since: Date;
  /** The current version of the schema, 0 before the first, and the newest one. */
  readonly from: number;
  readonly to: number;
  /** What it does now: a verb and its object. */
  readonly doing: string;
  /** How much of it is done, 0 to 1, where that can be told. */
  readonly done: number | undefined;
}

/** Called with a state when it changes, and each second. */
export type OnMigration = (state: MigrationState) => void;

/** A state in a sentence, for anyone: without addresses and names. */
export function describeMigration({ isOthers, since, from, to, doing, done }: MigrationState) {
  const who = isOthers ? 'Another process' : 'This process';
  const part = done === undefined ? '' : `, ${Math.floor(100 * done)} %`;
  return `${who} brings the schema from version ${from} to ${to} since ${since.toISOString()}: it ${doing}${part}.`;
}

/** The effect of a step on those who use a table meanwhile. */
type Blocking = 'nothing' | 'writes' | 'reads and writes';

/** A table as it is before a step. */
export interface TableSize {
  readonly table: string;
  /** From the database's statistics; null where it has none yet. */
  readonly rows: number | null;
  /** Without indexes. */
  readonly bytes: number;
}

/** One step on the way to the newest schema. */
export interface PlannedStep {
  /** The version of the schema that it belongs to. */
  readonly version: number;
  /** A verb and its object. */
  readonly does: string;
  /** The tables that it touches, as far as they exist already. */
  readonly tables: readonly TableSize[];
  /** The strongest lock that it takes on them, as the database calls it; null for none. */
  readonly lock: string | null;
  /** What has to wait while the lock is held. */
  readonly blocks: Blocking;
  /** How long the step takes, and for how long others are blocked, in seconds: estimates. */
  readonly seconds: number;
  readonly blockedSeconds: number;
  /** The longest time that it waits for its locks at once, in seconds, while others wait behind it. */
  readonly lockWaitSeconds: number;
}

/** What a migration would do. */
export interface MigrationPlan {
  /** The version of the schema; 0 where there is none. */
  readonly current: number;
  readonly wanted: number;
  readonly steps: readonly PlannedStep[];
}

/** What a migration did: each step, how long it took, and for how long others were blocked, in seconds. */
export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  readonly steps: readonly {
    readonly version: number;
    readonly does: string;
    readonly seconds: number;
    readonly blockedSeconds: number;
  }[];
}
