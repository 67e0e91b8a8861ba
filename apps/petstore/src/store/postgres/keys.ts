import type { Environment } from '../../config.ts';
import type { KeyHash, KeyRecord, NewKey } from '../../keys/key.ts';
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
  created_at: Date;
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

    isActive(hash) {
      return active.has(hash) || askIfActive(client, active, hash);
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
          SELECT id, name, environment, created_at, revoked_at FROM api_keys
          ORDER BY created_at, place`,
      );
      return rows.map(
        ({ id, name, environment, created_at, revoked_at }): KeyRecord => ({
          id,
          name,
          environment,
          createdAt: created_at,
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

async function askIfActive(
  client: PostgresClient,
  active: ActiveKeys,
  hash: KeyHash,
): Promise<boolean> {
  const remember = active.asking(hash);
  const [row] = await client.run(
    (sql) => sql`SELECT 1 FROM api_keys WHERE hash = ${bytes(hash)} AND revoked_at IS NULL`,
  );
  if (row) remember();
  return row !== undefined;
}

async function insert(sql: Sql | Transaction, { hash, record }: NewKey): Promise<void> {
  const { id, name, environment, createdAt } = record;
  await sql`
    INSERT INTO api_keys (id, name, environment, hash, created_at)
    VALUES (${id}, ${name}, ${environment}, ${bytes(hash)}, ${createdAt})`;
}

function bytes(hash: KeyHash): Buffer {
  return Buffer.from(hash, 'base64');
}
