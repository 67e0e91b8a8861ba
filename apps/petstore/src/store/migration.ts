/** What becomes of a schema that is brought up to date, as far as it can be seen. */
export interface MigrationState {
  /** Whether another process does it, for which this one waits. */
  readonly isOthers: boolean;
  /** When it began, as the database's clock has it. */
  readonly since: Date;
  /** The version that there is now, 0 before the first, and the one that there is to be. */
  readonly from: number;
  readonly to: number;
  /** What is done at this moment: a verb and its object. */
  readonly doing: string;
  /** How much of it is done, 0 to 1, where that can be told. */
  readonly done: number | undefined;
}

/** Told a state when it changes, and each second. */
export type OnMigration = (state: MigrationState) => void;

/** A state in a sentence, for anyone: without addresses and names. */
export function describeMigration({ isOthers, since, from, to, doing, done }: MigrationState) {
  const who = isOthers ? 'Another process' : 'This process';
  const part = done === undefined ? '' : `, ${Math.floor(100 * done)} %`;
  return `${who} brings the schema from version ${from} to ${to} since ${since.toISOString()}: it ${doing}${part}.`;
}

/** What a step means for those who use a table meanwhile. */
type Blocking = 'nothing' | 'writes' | 'reads and writes';

/** A table as it is before a step. */
export interface TableSize {
  readonly table: string;
  /** As the database's statistics have it; null where it has none yet. */
  readonly rows: number | null;
  /** Without indexes. */
  readonly bytes: number;
}

/** One thing that is done on the way to the newest schema. */
export interface PlannedStep {
  /** The version of the schema that it belongs to. */
  readonly version: number;
  /** A verb and its object. */
  readonly does: string;
  /** Those of the tables that it touches which are there already. */
  readonly tables: readonly TableSize[];
  /** The strongest lock that it takes on them, as the database calls it; null for none. */
  readonly lock: string | null;
  /** What waits while the lock is held. */
  readonly blocks: Blocking;
  /** How long the step takes, and how long something waits for it, in seconds: estimates. */
  readonly seconds: number;
  readonly blockedSeconds: number;
  /** How long it waits for its locks at a time, at most, in seconds, while others wait behind it. */
  readonly lockWaitSeconds: number;
}

/** What a migration would do. */
export interface MigrationPlan {
  /** The version of the schema; 0 where there is none. */
  readonly current: number;
  readonly wanted: number;
  readonly steps: readonly PlannedStep[];
}

/** What a migration did: each step with the time that it took and that others were kept waiting, in seconds. */
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
