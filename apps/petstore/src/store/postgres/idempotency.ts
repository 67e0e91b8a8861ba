import { hash } from 'node:crypto';
import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { IdempotencyKeysUnderWay } from '../../idempotency/idempotency-keys-under-way.ts';
import {
  decodeResult,
  encodeResult,
  idempotencyConflict,
  idempotencyMismatch,
} from '../../idempotency/result.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type {
  Idempotency,
  IdempotentResult,
  IdempotentResultStore,
} from '../contract/idempotency.ts';
import type { Written } from '../contract/written.ts';
import type { PostgresClient } from './client.ts';

/** Does an idempotent write once; `work` is its part of the transaction. */
export type WriteIdempotently = (
  idempotency: Idempotency,
  work: (db: Connection) => Promise<Written | Refusal>,
) => Promise<IdempotentResult | Refusal>;

export function idempotentWriter(
  client: PostgresClient,
  keysUnderWay: IdempotencyKeysUnderWay,
): WriteIdempotently {
  return (idempotency, work) =>
    keysUnderWay.alone(idempotency, () =>
      client.transaction(async (db) => {
        const known = await lockKey(db, idempotency);
        if (known) return known;
        const result = await work(db);
        await keepResult(db, idempotency, result);
        return isRefusal(result) ? result : { ...result, collectionUrl: idempotency.collectionUrl };
      }),
    );
}

/**
 * Locks a key for the rest of a transaction. Where it may not be used, returns the kept result, or a refusal. It does
 * not wait for a key that another process has locked: that may take long, and a refusal helps the client more.
 */
async function lockKey(
  db: Connection,
  idempotency: Idempotency,
): Promise<IdempotentResult | Refusal | undefined> {
  const { owner, key, fingerprint, since } = idempotency;
  // Sent together. Each statement sees what was committed before it, so the second one, behind
  // the lock, sees what the last holder of the lock has kept.
  const [lock, kept] = await Promise.all([
    db.row<{ isFree: boolean }>(
      sql`SELECT pg_try_advisory_xact_lock(${lockId(idempotency)}) AS "isFree"`,
    ),
    db.row<{ fingerprint: Buffer; answer: string }>(sql`
      SELECT fingerprint, answer FROM idempotent_answers
      WHERE api_key_id = ${owner} AND idempotency_key = ${key} AND created_at >= ${since}`),
  ]);
  if (!lock?.isFree) return idempotencyConflict();
  if (!kept) return undefined;
  return kept.fingerprint.toString('base64') === fingerprint
    ? decodeResult(kept.answer)
    : idempotencyMismatch();
}

/** Keeps the result of a write whose key is locked. */
async function keepResult(
  db: Connection,
  { owner, key, fingerprint, at, collectionUrl }: Idempotency,
  result: Written | Refusal,
): Promise<void> {
  // An existing result is too old to count.
  await db.execute(sql`
    INSERT INTO idempotent_answers (api_key_id, idempotency_key, fingerprint, answer, created_at)
    VALUES (${owner}, ${key}, ${Buffer.from(fingerprint, 'base64')},
            ${encodeResult(result, collectionUrl)}, ${at})
    ON CONFLICT (api_key_id, idempotency_key) DO UPDATE
    SET fingerprint = excluded.fingerprint, answer = excluded.answer,
        created_at = excluded.created_at, place = DEFAULT`);
}

/** 64 bits of a digest. Two keys that share them cannot be used at the same time: one is told to come again. */
export function lockId({ owner, key }: Idempotency): bigint {
  return hash('sha256', `${owner} ${key}`, 'buffer').readBigInt64BE();
}

export function postgresIdempotentResults(client: PostgresClient): IdempotentResultStore {
  return {
    // Rows that another process is deleting are left to it.
    deleteBefore: (instant, count) =>
      client.run((db) =>
        db.execute(sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers WHERE created_at < ${instant}
            ORDER BY created_at LIMIT ${count} FOR UPDATE SKIP LOCKED))`),
      ),
    placeBeyond: (owner, kept) =>
      client.run(async (db) => {
        const row = await db.row<{ place: bigint }>(sql`
          SELECT place FROM idempotent_answers WHERE api_key_id = ${owner}
          ORDER BY place DESC LIMIT 1 OFFSET ${kept}`);
        return row?.place;
      }),
    deleteUpTo: (owner, place, count) =>
      client.run((db) =>
        db.execute(sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers WHERE api_key_id = ${owner} AND place <= ${place}
            ORDER BY place LIMIT ${count} FOR UPDATE SKIP LOCKED))`),
      ),
  };
}
