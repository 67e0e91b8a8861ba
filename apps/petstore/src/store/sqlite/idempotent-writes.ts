import type { DatabaseSync } from 'node:sqlite';
import { encodeResult, idempotencyMismatch } from '../../idempotency/result.ts';
import { petJson } from '../../pets/pet-rules.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Written } from '../contract/written.ts';
import type { CategoryWrites } from './category-writes.ts';
import type { OrderWrites } from './order-writes.ts';
import type { PetWrites } from './pet-writes.ts';

// The table idempotent_answers holds what the code calls results.

/** The writes that can be idempotent. */
type Inner = Pick<PetWrites, 'createPet'> &
  Pick<CategoryWrites, 'createCategory'> &
  Pick<OrderWrites, 'placeOrder' | 'endOrder'>;

/** One of them, with its arguments. */
export type InnerCommand = {
  [K in keyof Inner]: [kind: K, ...args: Parameters<Inner[K]>];
}[keyof Inner];

export interface IdempotentWrites {
  /**
   * Returns the kept result of the first write with the owner's key, or carries out the inner command and keeps its
   * result. The result is as encodeResult makes it, or a refusal. Times are milliseconds since 1970. The rest is as in
   * Idempotency, one value each, since objects are sent more slowly.
   */
  idempotently(
    owner: string,
    key: string,
    fingerprint: string,
    at: number,
    since: number,
    collectionUrl: string,
    ...inner: InnerCommand
  ): string | Refusal;
  /** The methods of IdempotentResultStore. */
  deleteResultsBefore(instant: number, count: number): number;
  deleteResultsUpTo(owner: string, place: bigint, count: number): number;
}

export function prepareIdempotentWrites(db: DatabaseSync, writes: Inner): IdempotentWrites {
  const select = db.prepare(
    `SELECT fingerprint, answer FROM idempotent_answers
     WHERE api_key_id = ? AND idempotency_key = ? AND created_at >= ?`,
  );
  // A replaced result was too old to count.
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotent_answers
       (api_key_id, idempotency_key, fingerprint, answer, created_at)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const deleteBefore = db.prepare(
    `DELETE FROM idempotent_answers WHERE place IN
       (SELECT place FROM idempotent_answers WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  );
  const deleteUpTo = db.prepare(
    `DELETE FROM idempotent_answers WHERE place IN
       (SELECT place FROM idempotent_answers WHERE api_key_id = ? AND place <= ?
        ORDER BY place LIMIT ?)`,
  );
  return {
    idempotently(owner, key, fingerprint, at, since, collectionUrl, ...inner) {
      const bytes = Buffer.from(fingerprint, 'base64');
      const kept = select.get(owner, key, since);
      if (kept) {
        return bytes.equals(kept.fingerprint as Uint8Array)
          ? String(kept.answer)
          : idempotencyMismatch();
      }
      const result = encodeResult(run(writes, inner), collectionUrl);
      insert.run(owner, key, bytes, result, at);
      return result;
    },
    deleteResultsBefore: (instant, count) => Number(deleteBefore.run(instant, count).changes),
    deleteResultsUpTo: (owner, place, count) => Number(deleteUpTo.run(owner, place, count).changes),
  };
}

function run(writes: Inner, command: InnerCommand): Written | Refusal {
  switch (command[0]) {
    case 'createPet': {
      const [, name, categoryId, status] = command;
      const id = writes.createPet(name, categoryId, status);
      return { id, json: petJson(id, { name, categoryId, status }) };
    }
    case 'createCategory':
      return writes.createCategory(command[1]);
    case 'placeOrder':
      return writes.placeOrder(command[1], command[2]);
    case 'endOrder': {
      const [, id, end, at, precondition] = command;
      const json = writes.endOrder(id, end, at, precondition);
      return isRefusal(json) ? json : { id, json };
    }
  }
}
