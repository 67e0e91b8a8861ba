import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { MigrationState } from '../migration.ts';
import { LOCK_CLASS, MIGRATIONS } from './migrations.ts';

/** Held while the schema is brought up to date; negative, so that it differs from every animal's id. */
export const MIGRATION_LOCK = -1;

interface Row {
  readonly since: Date | null;
  readonly now: Date;
  readonly index: string | null;
  readonly phase: string | null;
  readonly done: number | null;
}

/**
 * The progress of another process that holds the migration's lock; undefined where none does. `from`: the version of
 * the schema. For an index build PostgreSQL reports the phase, and how much of it is done.
 */
export async function migrationState(
  db: Connection,
  from: number,
): Promise<MigrationState | undefined> {
  const row = await db.row<Row>(sql`
    SELECT backend_start AS since, now() AS now, index_relid::regclass::text AS index, phase,
           CASE WHEN phase LIKE '%tuples%' THEN tuples_done::float8 / nullif(tuples_total, 0)
                ELSE blocks_done::float8 / nullif(blocks_total, 0) END AS done
    FROM pg_locks AS lock
         LEFT JOIN pg_stat_activity AS activity ON activity.pid = lock.pid
         LEFT JOIN pg_stat_progress_create_index AS progress ON progress.pid = lock.pid
    WHERE locktype = 'advisory' AND objsubid = 2 AND granted
          AND classid = ${LOCK_CLASS}::int::oid AND objid = (${MIGRATION_LOCK}::bigint & 4294967295)::oid
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  if (!row) return undefined;
  const { since, now, index, phase, done } = row;
  return {
    isOthers: true,
    since: since ?? now,
    from,
    to: MIGRATIONS.length,
    doing: phase === null ? 'changes definitions' : `builds the index ${index} (${phase})`,
    done: done === null ? undefined : Math.min(1, done),
  };
}
