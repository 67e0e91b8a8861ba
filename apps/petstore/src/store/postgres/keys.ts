import type { Connection } from '@petstore/postgres/connection.ts';
import sql, { raw } from 'sql-template-tag';
import type { Environment } from '../../config.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
import { keyCreated, keyRevoked, keyRotated, rotationReverted } from '../../keys/key-events.ts';
import { rotate } from '../../keys/key-rules.ts';
import type { Scope } from '../../keys/scope.ts';
import { isRefusal } from '../../refusal.ts';
import type { KeyStore } from '../contract/key-store.ts';
import type { ActiveKeys } from './active-keys.ts';
import { recordAudit } from './audit.ts';
import type { Clients, PostgresClient } from './client.ts';
import { LOCK_CLASS } from './migrations.ts';
import { REVOCATIONS } from './revocation-listener.ts';

/** Held while the first key is added; negative, so that it differs from every animal's id. */
const FIRST_KEY_LOCK = -2;

interface KeyRow {
  id: string;
  name: string;
  environment: Environment;
  scopes: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  replaced_by: string | null;
}

const COLUMNS = raw(
  'id, name, environment, scopes, created_at, expires_at, revoked_at, last_used_at, replaced_by',
);

export function postgresKeys({ reads, writes }: Clients, active: ActiveKeys): KeyStore {
  return {
    async add(key) {
      await writes.transaction(async (db) => {
        await insert(db, key);
        await recordAudit(db, keyCreated(key.record));
      });
    },

    addFirst(key) {
      return writes.transaction(async (db) => {
        await db.execute(
          sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, ${FIRST_KEY_LOCK}::int)`,
        );
        const any = await db.row(sql`SELECT 1 FROM api_keys LIMIT 1`);
        if (any) return false;
        await insert(db, key);
        await recordAudit(db, keyCreated(key.record, { isFirst: true }));
        return true;
      });
    },

    findUnrevoked(hash) {
      return active.get(hash) ?? askForActive(reads, active, hash);
    },

    async idOf(hash) {
      const query = sql`SELECT id FROM api_keys WHERE hash = ${bytes(hash)}`;
      return (await reads.row<{ id: string }>(query))?.id;
    },

    async list() {
      const rows = await reads.run((db) =>
        db.rows<KeyRow>(sql`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, place`),
      );
      return rows.map(recordOf);
    },

    async revoke(id, at) {
      const outcome = await writes.transaction(async (db) => {
        if (await revoke(db, id, at)) return 'revoked';
        const known = await db.row(sql`SELECT 1 FROM api_keys WHERE id = ${id}`);
        return known ? 'already_revoked' : 'not_found';
      });
      // This process need not wait for the server's notification.
      active.drop();
      return outcome;
    },

    async rotate(id, order) {
      const outcome = await writes.transaction(async (db) => {
        const row = await db.row<KeyRow>(sql`
          SELECT ${COLUMNS} FROM api_keys WHERE id = ${id} FOR UPDATE`);
        const rotation = rotate(row && recordOf(row), order);
        if (isRefusal(rotation)) return rotation;
        const { replaced, successor, until } = rotation;
        await insert(db, successor);
        await db.execute(sql`
          UPDATE api_keys SET expires_at = ${until}, replaced_by = ${successor.record.id}
          WHERE id = ${id}`);
        await tellOthers(db);
        await recordAudit(db, keyRotated(replaced, successor.record, until));
        await recordAudit(db, keyCreated(successor.record, { replaces: id }));
        return rotation;
      });
      active.drop();
      return outcome;
    },

    async undoRotation({ replaced, successor }, at) {
      const { id, expiresAt = null } = replaced;
      await writes.transaction(async (db) => {
        await db.execute(sql`
          UPDATE api_keys SET expires_at = ${expiresAt}, replaced_by = NULL
          WHERE id = ${id} AND replaced_by = ${successor.record.id}`);
        await recordAudit(db, rotationReverted(id, successor.record.id, at));
        await revoke(db, successor.record.id, at);
        await tellOthers(db);
      });
      active.drop();
    },

    async noteUses(uses) {
      const rows = [...uses].map(([id, at]) => ({ id, at: new Date(at).toISOString() }));
      await writes.run((db) =>
        db.execute(sql`
          UPDATE api_keys SET last_used_at = used.at
          FROM json_to_recordset(${JSON.stringify(rows)}::text::json)
               AS used (id text, at timestamptz)
          WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`),
      );
    },
  };
}

/** Whether there was such a key that had not been revoked before. */
async function revoke(db: Connection, id: string, at: Date): Promise<boolean> {
  const revoked = await db.execute(sql`
    UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`);
  if (revoked === 0) return false;
  await tellOthers(db);
  await recordAudit(db, keyRevoked(id, at));
  return true;
}

/** When the transaction commits, every listening process forgets the keys that it remembers. */
async function tellOthers(db: Connection): Promise<void> {
  await db.execute(sql`SELECT pg_notify(${REVOCATIONS}, '')`);
}

async function askForActive(
  client: PostgresClient,
  active: ActiveKeys,
  hash: KeyHash,
): Promise<ActiveKey | undefined> {
  const remember = active.asking(hash);
  const row = await client.row<Pick<KeyRow, 'id' | 'scopes' | 'expires_at'>>(sql`
    SELECT id, scopes, expires_at FROM api_keys
    WHERE hash = ${bytes(hash)} AND revoked_at IS NULL`);
  if (!row) return undefined;
  const { id, scopes, expires_at } = row;
  const expiresAt = expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
  const key = { id, scopes: scopesOf(scopes), expiresAt };
  remember(key);
  return key;
}

async function insert(db: Connection, { hash, record }: NewKey): Promise<void> {
  const { id, name, environment, scopes, createdAt, expiresAt = null } = record;
  await db.execute(sql`
    INSERT INTO api_keys (id, name, environment, scopes, hash, created_at, expires_at)
    VALUES (${id}, ${name}, ${environment}, ${scopes.join(' ')}, ${bytes(hash)}, ${createdAt},
            ${expiresAt})`);
}

function recordOf(row: KeyRow): KeyRecord {
  const { id, name, environment } = row;
  return {
    ...{ id, name, environment },
    scopes: scopesOf(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
  };
}

function scopesOf(text: string): Scope[] {
  return text.split(' ') as Scope[];
}

function bytes(hash: KeyHash): Buffer {
  return Buffer.from(hash, 'base64');
}
