import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Environment } from '../../config.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
import { keyCreated, keyRevoked, keyRotated, rotationReverted } from '../../keys/key-events.ts';
import { rotate } from '../../keys/key-rules.ts';
import type { Scope } from '../../keys/scope.ts';
import { isRefusal } from '../../refusal.ts';
import type { KeyStore } from '../contract/key-store.ts';
import { auditRecorder } from './audit.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';
import type { RareWrite } from './rare-writes.ts';

export interface KeysDeps {
  readonly db: DatabaseSync;
  readonly write: Write;
  readonly writeRarely: RareWrite;
  /**
   * Keys by their hashes, emptied whenever the database has changed. Serves Authentication, which asks after each commit,
   * or each time (debug logs, traces), and remembers unknown hashes.
   */
  readonly freshKeys: () => Map<KeyHash, ActiveKey | undefined>;
}

/** Results kept at most: a guesser must not fill the memory with hashes that are not there. */
const MAX_RESULTS = 10_000;

const COLUMNS = `id, name, environment, scopes, created_at, expires_at, revoked_at, last_used_at,
  replaced_by`;

export function sqliteKeys({ db, write, writeRarely, freshKeys }: KeysDeps): KeyStore {
  const insert = db.prepare(
    `INSERT INTO api_keys (id, name, environment, scopes, hash, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const selectAny = db.prepare('SELECT 1 FROM api_keys LIMIT 1');
  const selectUnrevoked = db.prepare(
    'SELECT id, scopes, expires_at FROM api_keys WHERE hash = ? AND revoked_at IS NULL',
  );
  const selectAll = db.prepare(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, rowid`);
  const selectOne = db.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?`);
  const selectByHash = db.prepare('SELECT id FROM api_keys WHERE hash = ?');
  const updateRevoked = db.prepare(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const updateReplaced = db.prepare(
    'UPDATE api_keys SET expires_at = ?, replaced_by = ? WHERE id = ? AND replaced_by IS ?',
  );
  const record = auditRecorder(db);

  const revoke = (id: string, at: Date): boolean => {
    if (updateRevoked.run(at.getTime(), id).changes === 0) return false;
    record(keyRevoked(id, at));
    return true;
  };

  return {
    add: (key) =>
      writeRarely(() => {
        insert.run(...columns(key));
        record(keyCreated(key.record));
      }),

    addFirst: (key) =>
      writeRarely(() => {
        if (selectAny.get()) return false;
        insert.run(...columns(key));
        record(keyCreated(key.record, { isFirst: true }));
        return true;
      }),

    async idOf(hash) {
      const row = translateErrors(() => selectByHash.get(bytes(hash)));
      return row === undefined ? undefined : String(row.id);
    },

    findUnrevoked(hash) {
      return translateErrors(() => {
        const results = freshKeys();
        const known = results.get(hash);
        if (known || results.has(hash)) return known;
        const row = selectUnrevoked.get(bytes(hash));
        const key = row && {
          id: String(row.id),
          scopes: scopesOf(row.scopes),
          expiresAt: row.expires_at === null ? Number.POSITIVE_INFINITY : Number(row.expires_at),
        };
        if (results.size < MAX_RESULTS) results.set(hash, key);
        return key;
      });
    },

    async list() {
      return translateErrors(() => selectAll.all()).map(recordOf);
    },

    revoke: (id, at) =>
      writeRarely(() => {
        if (revoke(id, at)) return 'revoked';
        return selectOne.get(id) ? 'already_revoked' : 'not_found';
      }),

    rotate: (id, order) =>
      writeRarely(() => {
        const row = selectOne.get(id);
        const rotation = rotate(row && recordOf(row), order);
        if (isRefusal(rotation)) return rotation;
        const { replaced, successor, until } = rotation;
        insert.run(...columns(successor));
        updateReplaced.run(until.getTime(), successor.record.id, id, null);
        record(keyRotated(replaced, successor.record, until));
        record(keyCreated(successor.record, { replaces: id }));
        return rotation;
      }),

    undoRotation: ({ replaced, successor }, at) =>
      writeRarely(() => {
        const successorId = successor.record.id;
        const expiresAt = replaced.expiresAt?.getTime() ?? null;
        updateReplaced.run(expiresAt, null, replaced.id, successorId);
        record(rotationReverted(replaced.id, successorId, at));
        revoke(successorId, at);
      }),

    async noteUses(uses) {
      await write('noteKeyUses', [...uses.keys()], [...uses.values()]);
    },
  };
}

function columns({ hash, record }: NewKey): SQLInputValue[] {
  const { id, name, environment, scopes, createdAt, expiresAt } = record;
  return [
    ...[id, name, environment, scopes.join(' '), bytes(hash)],
    ...[createdAt.getTime(), expiresAt?.getTime() ?? null],
  ];
}

function recordOf(row: Record<string, unknown>): KeyRecord {
  return {
    id: String(row.id),
    name: String(row.name),
    environment: row.environment as Environment,
    scopes: scopesOf(row.scopes),
    createdAt: new Date(Number(row.created_at)),
    expiresAt: dateOf(row.expires_at),
    revokedAt: dateOf(row.revoked_at),
    lastUsedAt: dateOf(row.last_used_at),
    replacedBy: row.replaced_by === null ? undefined : String(row.replaced_by),
  };
}

/** Scopes are stored as they are shown: words with spaces between them. */
function scopesOf(text: unknown): Scope[] {
  return String(text).split(' ') as Scope[];
}

function dateOf(milliseconds: unknown): Date | undefined {
  return milliseconds === null ? undefined : new Date(Number(milliseconds));
}

function bytes(hash: KeyHash): Buffer {
  return Buffer.from(hash, 'base64');
}
