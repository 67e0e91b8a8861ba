import { hash } from 'node:crypto';
import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import {
  decodeResult,
  encodeResult,
  type KeysInUse,
  keyInUse,
  keyReused,
} from '../../idempotency/result.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Idempotency, IdempotentResult, IdempotentResultStore, Written } from '../store.ts';
import type { PostgresClient } from './client.ts';

/** Does a write that is to happen once; `work` is its part of the transaction. */
export type WriteIdempotently = (
  idempotency: Idempotency,
  work: (db: Connection) => Promise<Written | Refusal>,
) => Promise<IdempotentResult | Refusal>;

export function idempotentWriter(client: PostgresClient, keysInUse: KeysInUse): WriteIdempotently {
  return (idempotency, work) =>
    keysInUse.alone(idempotency, () =>
      client.transaction(async (db) => {
        const known = (await claimKeys(db, [idempotency])).get(idempotency);
        if (known) return known;
        const result = await work(db);
        await keepResults(db, [{ idempotency, result }]);
        return isRefusal(result) ? result : { ...result, address: idempotency.address };
      }),
    );
}

/**
 * Claims keys for the rest of a transaction; gives what is known of those that it may not use: what was kept, or a
 * refusal. A key that another process is at is not waited for: it may take long, and the client is better told.
 */
export async function claimKeys(
  db: Connection,
  keys: readonly Idempotency[],
): Promise<ReadonlyMap<Idempotency, IdempotentResult | Refusal>> {
  // Sent together. Each statement sees what was committed before it, so the second one, behind
  // the locks, sees what the last holders of the locks have kept.
  const [locks, kept] = await Promise.all([
    db.rows<{ isFree: boolean }>(sql`
      SELECT pg_try_advisory_xact_lock(lock) AS "isFree"
      FROM unnest(${keys.map(lockId)}::bigint[]) WITH ORDINALITY AS asked (lock, nth)
      ORDER BY nth`),
    db.rows<{ nth: bigint; fingerprint: Buffer; answer: string }>(sql`
      SELECT nth, fingerprint, answer
      FROM unnest(${keys.map(({ owner }) => owner)}::text[], ${keys.map(({ key }) => key)}::text[],
                  ${keys.map(({ since }) => since)}::timestamptz[])
           WITH ORDINALITY AS asked (owner, key, since, nth)
      -- With LIMIT it is looked up by its key; a join would read the whole table for many of them.
      CROSS JOIN LATERAL (
        SELECT fingerprint, answer FROM idempotent_answers
        WHERE api_key_id = owner AND idempotency_key = key AND created_at >= since LIMIT 1
      ) AS kept`),
  ]);
  const known = new Map<Idempotency, IdempotentResult | Refusal>();
  for (const { nth, fingerprint, answer } of kept) {
    const idempotency = keys[Number(nth) - 1] as Idempotency;
    const isSame = fingerprint.toString('base64') === idempotency.fingerprint;
    known.set(idempotency, isSame ? decodeResult(answer) : keyReused());
  }
  for (const [at, { isFree }] of locks.entries()) {
    if (!isFree) known.set(keys[at] as Idempotency, keyInUse());
  }
  return known;
}

/** Keeps what came of writes whose keys are claimed. */
export async function keepResults(
  db: Connection,
  results: readonly { readonly idempotency: Idempotency; readonly result: Written | Refusal }[],
): Promise<void> {
  if (results.length === 0) return;
  const column = <T>(of: (idempotency: Idempotency) => T) =>
    results.map(({ idempotency }) => of(idempotency));
  const answers = results.map(({ idempotency, result }) =>
    encodeResult(result, idempotency.address),
  );
  // What is there already is older than it counts.
  await db.execute(sql`
    INSERT INTO idempotent_answers (api_key_id, idempotency_key, fingerprint, answer, created_at)
    SELECT owner, key, decode(fingerprint, 'base64'), answer, at
    FROM unnest(${column(({ owner }) => owner)}::text[], ${column(({ key }) => key)}::text[],
                ${column(({ fingerprint }) => fingerprint)}::text[], ${answers}::text[],
                ${column(({ at }) => at)}::timestamptz[])
         AS result (owner, key, fingerprint, answer, at)
    ON CONFLICT (api_key_id, idempotency_key) DO UPDATE
    SET fingerprint = excluded.fingerprint, answer = excluded.answer,
        created_at = excluded.created_at, place = DEFAULT`);
}

/** 64 bits of a digest: two keys at a time that share them are told to come again, and no more. */
function lockId({ owner, key }: Idempotency): bigint {
  return hash('sha256', `${owner} ${key}`, 'buffer').readBigInt64BE();
}

export function postgresIdempotentResults(client: PostgresClient): IdempotentResultStore {
  return {
    // Rows that another process is at are left to it.
    deleteBefore: (instant, count) =>
      client.run((db) =>
        db.execute(sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers WHERE created_at < ${instant}
            ORDER BY created_at LIMIT ${count} FOR UPDATE SKIP LOCKED))`),
      ),
    deleteBeyond: (owner, kept, count) =>
      client.run((db) =>
        db.execute(sql`
          DELETE FROM idempotent_answers WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM idempotent_answers
            WHERE api_key_id = ${owner} AND place <=
              (SELECT place FROM idempotent_answers WHERE api_key_id = ${owner}
               ORDER BY place DESC LIMIT 1 OFFSET ${kept})
            ORDER BY place LIMIT ${count} FOR UPDATE SKIP LOCKED))`),
      ),
  };
}
