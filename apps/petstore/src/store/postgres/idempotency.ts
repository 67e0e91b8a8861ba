import { hash } from 'node:crypto';
import {
  decodeResult,
  encodeResult,
  KeysInUse,
  keyInUse,
  keyReused,
} from '../../idempotency/result.ts';
import type { Refusal } from '../../refusal.ts';
import type { Idempotency, IdempotentResult, IdempotentResultStore, Written } from '../store.ts';
import type { PostgresClient, Transaction } from './client.ts';

/** Does a write that is to happen once; `work` is its part of the transaction. */
export type WriteIdempotently = (
  idempotency: Idempotency,
  work: (sql: Transaction) => Promise<Written | Refusal>,
) => Promise<IdempotentResult | Refusal>;

/**
 * While a process is at it, the key is locked. Another process does not wait for that: it may take
 * long, and the client is better told.
 */
export function idempotentWriter(client: PostgresClient): WriteIdempotently {
  const running = new KeysInUse();
  return (idempotency, work) =>
    running.alone(idempotency, () =>
      client.transaction(async (sql) => {
        const { owner, key, address, at, since } = idempotency;
        const fingerprint = Buffer.from(idempotency.fingerprint, 'base64');
        // Sent together. Each statement sees what was committed before it, so the second one, behind
        // the lock, sees what the last holder of the lock has kept.
        const [[lock], [kept]] = await Promise.all([
          sql<{ isFree: boolean }[]>`
            SELECT pg_try_advisory_xact_lock(${lockId(idempotency)}::bigint) AS "isFree"`,
          sql<{ fingerprint: Uint8Array; answer: string }[]>`
            SELECT fingerprint, answer FROM idempotent_answers
            WHERE api_key_id = ${owner} AND idempotency_key = ${key} AND created_at >= ${since}`,
        ]);
        if (!lock?.isFree) return keyInUse();
        if (kept) {
          return fingerprint.equals(kept.fingerprint) ? decodeResult(kept.answer) : keyReused();
        }
        const result = encodeResult(await work(sql), address);
        // What is there already is older than it counts.
        await sql`
          INSERT INTO idempotent_answers
            (api_key_id, idempotency_key, fingerprint, answer, created_at)
          VALUES (${owner}, ${key}, ${fingerprint}, ${result}, ${at})
          ON CONFLICT (api_key_id, idempotency_key) DO UPDATE
          SET fingerprint = excluded.fingerprint, answer = excluded.answer,
              created_at = excluded.created_at, place = DEFAULT`;
        return decodeResult(result);
      }),
    );
}

/** 64 bits of a digest: two keys at a time that share them are told to come again, and no more. */
function lockId({ owner, key }: Idempotency): bigint {
  return hash('sha256', `${owner} ${key}`, 'buffer').readBigInt64BE();
}

export function postgresIdempotentResults(client: PostgresClient): IdempotentResultStore {
  return {
    // Rows that another process is at are left to it.
    deleteBefore: (instant, count) =>
      client.run(async (sql) => {
        const { count: deleted } = await sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers WHERE created_at < ${instant}
            ORDER BY created_at LIMIT ${count} FOR UPDATE SKIP LOCKED))`;
        return deleted;
      }),
    deleteBeyond: (owner, kept, count) =>
      client.run(async (sql) => {
        const { count: deleted } = await sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers
            WHERE api_key_id = ${owner} AND place <=
              (SELECT place FROM idempotent_answers WHERE api_key_id = ${owner}
               ORDER BY place DESC LIMIT 1 OFFSET ${kept})
            ORDER BY place LIMIT ${count} FOR UPDATE SKIP LOCKED))`;
        return deleted;
      }),
  };
}
