import type { DatabaseSync } from 'node:sqlite';
import type { KeyRecord } from '../../keys/key.ts';
import type { KeyStore } from '../store.ts';
import { translateErrors } from './errors.ts';

export function sqliteKeys(db: DatabaseSync): KeyStore {
  const insert = db.prepare(
    'INSERT INTO api_keys (id, name, hash, created_at) VALUES (?, ?, ?, ?)',
  );
  // One statement, so that of two processes that start at once only one adds its key.
  const insertFirst = db.prepare(
    `INSERT INTO api_keys (id, name, hash, created_at)
     SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM api_keys)`,
  );
  const selectActive = db.prepare('SELECT 1 FROM api_keys WHERE hash = ? AND revoked_at IS NULL');
  const selectAll = db.prepare(
    'SELECT id, name, created_at, revoked_at FROM api_keys ORDER BY created_at, rowid',
  );
  const revoke = db.prepare(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const selectOne = db.prepare('SELECT 1 FROM api_keys WHERE id = ?');

  return {
    async add({ hash, record: { id, name, createdAt } }) {
      translateErrors(() => insert.run(id, name, hash, createdAt.getTime()));
    },

    async addFirst({ hash, record: { id, name, createdAt } }) {
      const { changes } = translateErrors(() =>
        insertFirst.run(id, name, hash, createdAt.getTime()),
      );
      return changes === 1;
    },

    async isActive(hash) {
      return translateErrors(() => selectActive.get(hash)) !== undefined;
    },

    async list() {
      const rows = translateErrors(() => selectAll.all());
      return rows.map(
        (row): KeyRecord => ({
          id: String(row.id),
          name: String(row.name),
          createdAt: new Date(Number(row.created_at)),
          revokedAt: row.revoked_at === null ? undefined : new Date(Number(row.revoked_at)),
        }),
      );
    },

    async revoke(id, at) {
      return translateErrors(() => {
        if (revoke.run(at.getTime(), id).changes === 1) return 'revoked';
        return selectOne.get(id) ? 'already_revoked' : 'not_found';
      });
    },
  };
}
