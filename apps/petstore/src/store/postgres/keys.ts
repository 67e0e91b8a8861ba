import type { Environment } from '../../config.ts';
import type { ActiveKey, KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
import type { Scope } from '../../keys/scope.ts';
import type { KeyStore } from '../store.ts';
import type { ActiveKeys } from './active-keys.ts';
import type { PostgresClient, Sql, Transaction } from './client.ts';
import { LOCK_CLASS } from './migrations.ts';
import { REVOCATIONS } from './revocation-listener.ts';

/** Held while the first key is added; negative, so it is no id of an animal. */
const FIRST_KEY_LOCK = -2;

interface KeyRow {
  id: string;
  name: string;
  environment: Environment;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export function postgresKeys(client: PostgresClient, active: ActiveKeys): KeyStore {
  return {
    async add(key) {
      await client.run((sql) => insert(sql, key));
    },

    addFirst(key) {
      return client.transaction(async (sql) => {
        await sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}::int, ${FIRST_KEY_LOCK}::int)`;
        const [any] = await sql`SELECT 1 FROM api_keys LIMIT 1`;
        if (any) return false;
        await insert(sql, key);
        return true;
      });
    },

    findActive(hash) {
      return active.get(hash) ?? askForActive(client, active, hash);
    },

    async idOf(hash) {
      const [row] = await client.run(
        (sql) => sql<{ id: string }[]>`SELECT id FROM api_keys WHERE hash = ${bytes(hash)}`,
      );
      return row?.id;
    },

    async list() {
      const rows = await client.run(
        (sql) => sql<KeyRow[]>`
          SELECT id, name, environment, scopes, created_at, expires_at, revoked_at FROM api_keys
          ORDER BY created_at, place`,
      );
      return rows.map(
        ({ id, name, environment, scopes, created_at, expires_at, revoked_at }): KeyRecord => ({
          id,
          name,
          environment,
          scopes,
          createdAt: created_at,
          expiresAt: expires_at ?? undefined,
          revokedAt: revoked_at ?? undefined,
        }),
      );
    },

    async revoke(id, at) {
      // One statement is one transaction: who sees the revocation is told of it, and nobody else.
      const [row] = await client.run(
        (sql) => sql<{ revoked: boolean; known: boolean }[]>`
          WITH revoked AS (
            UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL
            RETURNING pg_notify(${REVOCATIONS}, '')
          )
          SELECT EXISTS (SELECT FROM revoked) AS revoked,
                 EXISTS (SELECT FROM api_keys WHERE id = ${id}) AS known`,
      );
      // This process does not wait to hear it from the server.
      active.drop();
      if (row?.revoked) return 'revoked';
      return row?.known ? 'already_revoked' : 'not_found';
    },
  };
}

async function askForActive(
  client: PostgresClient,
  active: ActiveKeys,
  hash: KeyHash,
): Promise<ActiveKey | undefined> {
  const remember = active.asking(hash);
  const [row] = await client.run(
    (sql) => sql<Pick<KeyRow, 'id' | 'scopes' | 'expires_at'>[]>`
      SELECT id, scopes, expires_at FROM api_keys
      WHERE hash = ${bytes(hash)} AND revoked_at IS NULL`,
  );
  if (!row) return undefined;
  const { id, scopes, expires_at } = row;
  const key = { id, scopes, expiresAt: expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
  remember(key);
  return key;
}

async function insert(sql: Sql | Transaction, { hash, record }: NewKey): Promise<void> {
  const { id, name, environment, scopes, createdAt, expiresAt = null } = record;
  await sql`
    INSERT INTO api_keys (id, name, environment, scopes, hash, created_at, expires_at)
    VALUES (${id}, ${name}, ${environment}, ${[...scopes]}, ${bytes(hash)}, ${createdAt},
            ${expiresAt})`;
}

function bytes(hash: KeyHash): Buffer {
  return Buffer.from(hash, 'base64');
}
