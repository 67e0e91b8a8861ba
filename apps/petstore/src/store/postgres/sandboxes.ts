import type { Connection } from '@petstore/postgres/connection.ts';
import sql, { raw } from 'sql-template-tag';
import type { SandboxRecord, SandboxRows, SnapshotRecord } from '../contract/sandbox-rows.ts';
import { MAX_LOG_BYTES, MAX_SWEPT_GROUPS } from '../contract/sandbox-rows.ts';
import { unusedVersion } from '../sandbox/unused-version.ts';
import { recordAudit } from './audit.ts';
import type { Clients, PostgresClient } from './client.ts';
import { appendEvents, sweepEvents } from './event-logs.ts';

/** Before every event. */
const LONG_AGO = new Date(0);

const COLUMNS = raw(
  `id, name, made_by AS "madeBy", seed::float8 AS seed, pets,
   created_at AS "createdAt", expires_at AS "expiresAt"`,
);

/** What a process asks the database about a sandbox, it asks the primary: a standby may be behind. */
export function postgresSandboxes({ reads, writes }: Clients): SandboxRows {
  return {
    // Several processes that add at once may go beyond a bound, by one each.
    add: ({ keyHash, id, name, madeBy, seed, pets, createdAt, expiresAt }, bounds, event) =>
      writes.transaction(async (db) => {
        const { total, ofMaker } = bounds;
        // The oldest of as many as the maker may have.
        const found = await db.row<{ all: number; countedFrom: Date | null }>(sql`
          SELECT (SELECT count(*)::int FROM sandboxes WHERE key_hash IS NOT NULL) AS "all",
                 (SELECT created_at FROM sandboxes
                  WHERE made_by = ${madeBy} AND created_at >= ${ofMaker?.since ?? null}
                  ORDER BY created_at DESC LIMIT 1 OFFSET ${(ofMaker?.count ?? 1) - 1}) AS "countedFrom"`);
        if (found?.countedFrom) return { countedFrom: found.countedFrom };
        if ((found?.all ?? 0) >= total) return 'too_many';
        await db.execute(sql`
          INSERT INTO sandboxes (id, key_hash, name, made_by, seed, pets, created_at, expires_at)
          VALUES (${id}, ${Buffer.from(keyHash, 'base64')}, ${name}, ${madeBy}, ${seed}::bigint,
                  ${pets}, ${createdAt}, ${expiresAt})`);
        if (event) await recordAudit(db, event);
        return 'added';
      }),

    async findByKey(hash) {
      const row = await reads.row<{ id: string; expires_at: Date; faults: string | null }>(sql`
        SELECT id, expires_at, faults FROM sandboxes WHERE key_hash = ${Buffer.from(hash, 'base64')}`);
      if (!row) return undefined;
      const { id, expires_at: expiresAt, faults } = row;
      return { id, expiresAt: expiresAt.getTime(), faults: faults ?? undefined };
    },

    get: (id) =>
      reads.row<SandboxRecord>(sql`
        SELECT ${COLUMNS} FROM sandboxes WHERE id = ${id} AND key_hash IS NOT NULL`),

    list: () =>
      reads.run((db) =>
        db.rows<SandboxRecord>(sql`
          SELECT ${COLUMNS} FROM sandboxes WHERE key_hash IS NOT NULL ORDER BY created_at, id`),
      ),

    async load(id, known = -1) {
      const row = await reads.row<{
        version: number;
        seed: number;
        pets: number;
        state: Buffer | null;
      }>(sql`
        SELECT version, seed::float8 AS seed, pets,
               CASE WHEN version <> ${known} THEN state END AS state
        FROM sandboxes WHERE id = ${id} AND key_hash IS NOT NULL`);
      return row && { ...row, state: row.version === known ? undefined : row.state };
    },

    commit: (id, { version, next }, state, events) =>
      writes.transaction(async (db) => {
        const changed = await db.execute(sql`
          UPDATE sandboxes SET state = ${Buffer.from(state)}, version = ${next}
          WHERE id = ${id} AND version = ${version} AND key_hash IS NOT NULL`);
        if (changed === 0) return false;
        // The log of a sandbox is short: each commit deletes as much as it adds.
        await sweepEvents(db, id, { before: LONG_AGO, maxBytes: MAX_LOG_BYTES }, MAX_SWEPT_GROUPS);
        await appendEvents(db, id, events);
        return true;
      }),

    reset: (id) =>
      writes.transaction(async (db) => {
        // The next number will do: whoever resets it again makes the same data.
        const reset = await db.execute(sql`
          UPDATE sandboxes SET state = NULL, version = version + 1
          WHERE id = ${id} AND key_hash IS NOT NULL`);
        await db.execute(sql`DELETE FROM sandbox_fault_counts WHERE sandbox = ${id}`);
        return reset === 1;
      }),

    remove: (id, event) =>
      writes.transaction(async (db) => {
        const isRemoved = (await empty(db, [id])) === 1;
        if (isRemoved && event) await recordAudit(db, event);
        return isRemoved;
      }),

    // Rows that another process is deleting are left to it.
    sweep: (instant, forget, count) =>
      writes.transaction(async (db) => {
        const expired = await db.rows<{ id: string }>(sql`
          SELECT id FROM sandboxes WHERE key_hash IS NOT NULL AND expires_at <= ${instant}
          ORDER BY expires_at LIMIT ${count} FOR UPDATE SKIP LOCKED`);
        const emptied = await empty(
          db,
          expired.map(({ id }) => id),
        );
        const forgotten = await db.execute(sql`
          DELETE FROM sandboxes WHERE id = ANY (ARRAY(
            SELECT id FROM sandboxes WHERE key_hash IS NULL AND created_at < ${forget}
            LIMIT ${count} FOR UPDATE SKIP LOCKED))`);
        return emptied + forgotten;
      }),

    snapshots: {
      list: (id) =>
        reads.run((db) =>
          db.rows<SnapshotRecord>(sql`
            SELECT name, created_at AS "createdAt", coalesce(length(state), 0) AS bytes
            FROM sandbox_snapshots WHERE sandbox = ${id} ORDER BY created_at, name`),
        ),

      save: (id, name, at, max) =>
        writes.transaction(async (db) => {
          // Locked, so that two at once are counted one after the other.
          const row = await db.row(sql`
            SELECT 1 FROM sandboxes WHERE id = ${id} AND key_hash IS NOT NULL FOR UPDATE`);
          if (!row) return 'not_found';
          const others = await db.row<{ n: number }>(sql`
            SELECT count(*)::int AS n FROM sandbox_snapshots
            WHERE sandbox = ${id} AND name <> ${name}`);
          if ((others?.n ?? 0) >= max) return 'too_many';
          await db.execute(sql`
            INSERT INTO sandbox_snapshots (sandbox, name, created_at, state)
            SELECT id, ${name}, ${at}, state FROM sandboxes WHERE id = ${id}
            ON CONFLICT (sandbox, name) DO UPDATE
            SET created_at = excluded.created_at, state = excluded.state`);
          return 'saved';
        }),

      async restore(id, name) {
        // A failover may lose this restore, and another snapshot may be restored then.
        const isRestored = await changesOne(writes, (db) =>
          db.execute(sql`
            UPDATE sandboxes SET version = ${unusedVersion()}, state = kept.state
            FROM sandbox_snapshots AS kept
            WHERE id = ${id} AND key_hash IS NOT NULL
              AND kept.sandbox = ${id} AND kept.name = ${name}`),
        );
        return isRestored ? 'restored' : 'not_found';
      },

      async remove(id, name) {
        const isRemoved = await changesOne(writes, (db) =>
          db.execute(sql`DELETE FROM sandbox_snapshots WHERE sandbox = ${id} AND name = ${name}`),
        );
        return isRemoved ? 'removed' : 'not_found';
      },
    },
  };
}

async function changesOne(
  client: PostgresClient,
  work: (db: Connection) => Promise<number>,
): Promise<boolean> {
  return (await client.run(work)) === 1;
}

/** Deletes what is in sandboxes, and leaves rows that say who made them and when. Returns how many. */
async function empty(db: Connection, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const emptied = await db.execute(sql`
    UPDATE sandboxes SET key_hash = NULL, name = '', state = NULL, faults = NULL
    WHERE id = ANY (${ids}) AND key_hash IS NOT NULL`);
  await db.execute(sql`DELETE FROM sandbox_snapshots WHERE sandbox = ANY (${ids})`);
  await db.execute(sql`DELETE FROM event_groups WHERE store = ANY (${ids})`);
  await db.execute(sql`DELETE FROM event_logs WHERE store = ANY (${ids})`);
  // Webhooks first: that waits for whoever is adding deliveries of them.
  const webhooks = await db.rows<{ id: string }>(sql`
    DELETE FROM webhooks WHERE store = ANY (${ids}) RETURNING id`);
  await db.execute(sql`
    DELETE FROM webhook_deliveries WHERE webhook_id = ANY (${webhooks.map(({ id }) => id)})`);
  await db.execute(sql`DELETE FROM sandbox_fault_counts WHERE sandbox = ANY (${ids})`);
  await db.execute(sql`DELETE FROM sandbox_requests WHERE sandbox = ANY (${ids})`);
  await db.execute(sql`DELETE FROM sandbox_challenges WHERE sandbox = ANY (${ids})`);
  return emptied;
}
