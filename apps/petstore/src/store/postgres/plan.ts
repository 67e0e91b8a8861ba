import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { MigrationPlan, PlannedStep, TableSize } from '../migration.ts';
import { LOCK_TIMEOUT_MS, refuseNewer } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Step, stepsFrom } from './steps.ts';

/** How many rows of an index are built in a second: docs/performance.md has the measurement. */
const INDEXED_PER_SECOND = 400_000;

/** How long a change of definitions takes once it has its locks, in seconds: as measured, rounded up. */
const SCRIPT_SECONDS = 0.05;

/** The plan of `migrate` for a schema of this version, 0 for none. Throws UserError for one of a newer program. */
export async function planFrom(
  db: Connection,
  version: number,
  place: string,
): Promise<MigrationPlan> {
  refuseNewer(version, place);
  const steps: PlannedStep[] = [];
  if (version < MIGRATIONS.length) {
    for (const step of stepsFrom(version)) steps.push(planned(step, await sizes(db, step)));
  }
  return { current: version, wanted: MIGRATIONS.length, steps };
}

function planned(step: Step, tables: readonly TableSize[]): PlannedStep {
  const { version, does } = step;
  if (step.kind === 'index') {
    const rows = tables.reduce((sum, table) => sum + (table.rows ?? 0), 0);
    const seconds = Math.ceil(rows / INDEXED_PER_SECOND);
    return {
      ...{ version, does, tables, lock: 'SHARE UPDATE EXCLUSIVE' },
      ...{ blocks: 'nothing', seconds, blockedSeconds: 0, lockWaitSeconds: 0 },
    };
  }
  const isLocking = tables.length > 0;
  return {
    ...{ version, does, tables, lock: isLocking ? 'ACCESS EXCLUSIVE' : null },
    blocks: isLocking ? 'reads and writes' : 'nothing',
    seconds: SCRIPT_SECONDS,
    blockedSeconds: isLocking ? SCRIPT_SECONDS : 0,
    lockWaitSeconds: isLocking ? LOCK_TIMEOUT_MS / 1_000 : 0,
  };
}

/** The sizes of the tables that a step touches and that exist already. */
async function sizes(db: Connection, step: Step): Promise<readonly TableSize[]> {
  const names = step.kind === 'index' ? [step.index.table] : step.locks;
  const rows = await db.rows<{ table: string; rows: number; bytes: bigint }>(sql`
    SELECT name AS "table", sum(reltuples)::float8 AS rows, sum(pg_table_size(oid))::bigint AS bytes
    FROM unnest(${names}::text[]) WITH ORDINALITY AS touched (name, place)
         -- A table without partitions has no tree.
         CROSS JOIN LATERAL (SELECT to_regclass(name) AS relid
                             UNION SELECT relid FROM pg_partition_tree(to_regclass(name))) AS part
         JOIN pg_class ON pg_class.oid = part.relid AND relkind = 'r'
    GROUP BY name, place ORDER BY place`);
  return rows.map(({ table, rows, bytes }) => ({
    table,
    // Below 0 where nobody has counted yet.
    rows: rows < 0 ? null : rows,
    bytes: Number(bytes),
  }));
}
