import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Environment } from '../../config.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
import type { Scope } from '../../keys/scope.ts';
import type { KeyStore } from '../store.ts';
import { asUnavailable, translateErrors } from './errors.ts';
import { untilFree } from './open.ts';

export interface KeysDeps {
  readonly db: DatabaseSync;
  /** Called after every write. */
  readonly onWrite: () => void;
  /** Hashes and the active keys that they are of; holds nothing that is older than the database. */
  readonly freshAnswers: () => Map<KeyHash, ActiveKey | undefined>;
}

/** Answers kept at most: a guesser must not fill the memory with hashes that are not there. */
const MAX_ANSWERS = 10_000;

export function sqliteKeys({ db, onWrite, freshAnswers }: KeysDeps): KeyStore {
  const insert = db.prepare(
    `INSERT INTO api_keys (id, name, environment, scopes, hash, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  // One statement, so that of two processes that start at once only one adds its key.
  const insertFirst = db.prepare(
    `INSERT INTO api_keys (id, name, environment, scopes, hash, created_at, expires_at)
     SELECT ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM api_keys)`,
  );
  const selectActive = db.prepare(
    'SELECT id, scopes, expires_at FROM api_keys WHERE hash = ? AND revoked_at IS NULL',
  );
  const selectAll = db.prepare(
    `SELECT id, name, environment, scopes, created_at, expires_at, revoked_at FROM api_keys
     ORDER BY created_at, rowid`,
  );
  const revoke = db.prepare(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const selectByHash = db.prepare('SELECT id FROM api_keys WHERE hash = ?');
  const selectOne = db.prepare('SELECT 1 FROM api_keys WHERE id = ?');

  return {
    async add(key) {
      await write(() => insert.run(...columns(key)));
      onWrite();
    },

    async addFirst(key) {
      const { changes } = await write(() => insertFirst.run(...columns(key)));
      onWrite();
      return changes === 1;
    },

    async idOf(hash) {
      const row = translateErrors(() => selectByHash.get(bytes(hash)));
      return row === undefined ? undefined : String(row.id);
    },

    findActive(hash) {
      return translateErrors(() => {
        const answers = freshAnswers();
        const known = answers.get(hash);
        if (known || answers.has(hash)) return known;
        const row = selectActive.get(bytes(hash));
        const key = row && {
          id: String(row.id),
          scopes: scopesOf(row.scopes),
          expiresAt: row.expires_at === null ? Number.POSITIVE_INFINITY : Number(row.expires_at),
        };
        if (answers.size < MAX_ANSWERS) answers.set(hash, key);
        return key;
      });
    },

    async list() {
      const rows = translateErrors(() => selectAll.all());
      return rows.map(
        (row): KeyRecord => ({
          id: String(row.id),
          name: String(row.name),
          environment: row.environment as Environment,
          scopes: scopesOf(row.scopes),
          createdAt: new Date(Number(row.created_at)),
          expiresAt: dateOf(row.expires_at),
          revokedAt: dateOf(row.revoked_at),
        }),
      );
    },

    async revoke(id, at) {
      const { changes } = await write(() => revoke.run(at.getTime(), id));
      onWrite();
      if (changes === 1) return 'revoked';
      return translateErrors(() => selectOne.get(id)) ? 'already_revoked' : 'not_found';
    },
  };
}

/** Keys are few: they are written here and not by the thread, and wait their turn beside it. */
async function write<T>(work: () => T): Promise<T> {
  try {
    return await untilFree(work);
  } catch (error) {
    throw asUnavailable(error);
  }
}

function columns({ hash, record }: NewKey): SQLInputValue[] {
  const { id, name, environment, scopes, createdAt, expiresAt } = record;
  return [
    ...[id, name, environment, scopes.join(' '), bytes(hash)],
    ...[createdAt.getTime(), expiresAt?.getTime() ?? null],
  ];
}

/** Scopes are kept as they are shown: words with spaces between them. */
function scopesOf(text: unknown): Scope[] {
  return String(text).split(' ') as Scope[];
}

function dateOf(milliseconds: unknown): Date | undefined {
  return milliseconds === null ? undefined : new Date(Number(milliseconds));
}

function bytes(hash: KeyHash): Buffer {
  return Buffer.from(hash, 'base64');
}
