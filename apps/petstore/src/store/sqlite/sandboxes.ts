import type { DatabaseSync } from 'node:sqlite';
import type { SandboxRecord, SandboxRows } from '../contract/sandbox-rows.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';

const COLUMNS = 'id, name, made_by, seed, pets, created_at, expires_at';

export function sqliteSandboxes(db: DatabaseSync, write: Write): SandboxRows {
  const selectByKey = db.prepare(
    'SELECT id, expires_at AS expiresAt, faults FROM sandboxes WHERE key_hash = ?',
  );
  const selectOne = db.prepare(
    `SELECT ${COLUMNS} FROM sandboxes WHERE id = ? AND key_hash IS NOT NULL`,
  );
  const selectAll = db.prepare(
    `SELECT ${COLUMNS} FROM sandboxes WHERE key_hash IS NOT NULL ORDER BY created_at, rowid`,
  );
  const load = db.prepare(
    `SELECT version, seed, pets, CASE WHEN version IS ?2 THEN NULL ELSE state END AS state
     FROM sandboxes WHERE id = ?1 AND key_hash IS NOT NULL`,
  );
  const isAnyToSweep = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM sandboxes WHERE key_hash IS NOT NULL AND expires_at <= ?1)
         OR EXISTS (SELECT 1 FROM sandboxes WHERE key_hash IS NULL AND created_at < ?2) AS isAny`,
  );
  const selectSnapshots = db.prepare(
    `SELECT name, created_at AS createdAt, coalesce(length(state), 0) AS bytes
     FROM sandbox_snapshots WHERE sandbox = ? ORDER BY created_at, name`,
  );
  return {
    add: ({ keyHash, ...sandbox }, bounds, event) =>
      write('addSandbox', sandbox, Buffer.from(keyHash, 'base64'), bounds, event),
    findByKey: (hash) =>
      translateErrors(() => {
        const row = selectByKey.get(Buffer.from(hash, 'base64'));
        if (!row) return undefined;
        const faults = (row.faults ?? undefined) as string | undefined;
        return { id: String(row.id), expiresAt: Number(row.expiresAt), faults };
      }),
    get: (id) =>
      translateErrors(() => {
        const row = selectOne.get(id);
        return row && recordOf(row);
      }),
    list: async () => translateErrors(() => selectAll.all()).map(recordOf),
    load: (id, known) =>
      translateErrors(() => {
        const row = load.get(id, known ?? null);
        if (!row) return undefined;
        const { version, seed, pets, state } = row;
        return {
          ...{ version: Number(version), seed: Number(seed), pets: Number(pets) },
          state: version === known ? undefined : (state as Uint8Array | null),
        };
      }),
    commit: (id, { version, next }, state, { count, text }) =>
      write('commitSandbox', id, version, next, state, count, text),
    reset: (id) => write('resetSandbox', id),
    remove: (id, event) => write('removeSandbox', id, event),
    async sweep(instant, forget, count) {
      const [now, then] = [instant.getTime(), forget.getTime()];
      // Each write waits for the disk, so there is none without need.
      const found = translateErrors(() => isAnyToSweep.get(now, then));
      return found?.isAny ? write('sweepSandboxes', now, then, count) : 0;
    },
    snapshots: {
      list: async (id) =>
        translateErrors(() => selectSnapshots.all(id)).map(({ name, createdAt, bytes }) => ({
          name: String(name),
          createdAt: new Date(Number(createdAt)),
          bytes: Number(bytes),
        })),
      save: (id, name, at, max) => write('saveSnapshot', id, name, at.getTime(), max),
      restore: (id, name) => write('restoreSnapshot', id, name),
      remove: (id, name) => write('removeSnapshot', id, name),
    },
  };
}

function recordOf(row: Record<string, unknown>): SandboxRecord {
  return {
    id: String(row.id),
    name: String(row.name),
    madeBy: String(row.made_by),
    seed: Number(row.seed),
    pets: Number(row.pets),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: new Date(Number(row.expires_at)),
  };
}
