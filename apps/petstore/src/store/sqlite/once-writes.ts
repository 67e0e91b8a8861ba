import type { DatabaseSync } from 'node:sqlite';
import { categoryJson } from '../../categories/category-json.ts';
import { orderJson } from '../../orders/order-json.ts';
import { petJson } from '../../pets/pet-json.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { encodeAnswer, keyOfAnother } from '../once.ts';
import type { Written } from '../store.ts';
import type { CategoryWrites } from './category-writes.ts';
import type { OrderWrites } from './order-writes.ts';
import type { PetWrites } from './pet-writes.ts';
import { inSavepoint } from './savepoint.ts';

/** The writes that may be asked for once. */
type Inner = Pick<PetWrites, 'createPet'> &
  Pick<CategoryWrites, 'createCategory'> &
  Pick<OrderWrites, 'placeOrder' | 'endOrder'>;

/** One of them, with its arguments. */
export type InnerCommand = {
  [K in keyof Inner]: [kind: K, ...args: Parameters<Inner[K]>];
}[keyof Inner];

export interface OnceWrites {
  /**
   * The first answer that the owner got to the key: the one that is kept, or what comes of the inner
   * command, kept with it. Gives it as encodeAnswer makes it, or why there is none. Times are
   * milliseconds since 1970; all else as in Once, each by itself since objects travel slower.
   */
  once(
    owner: string,
    key: string,
    fingerprint: string,
    at: number,
    since: number,
    address: string,
    ...inner: InnerCommand
  ): string | Refusal;
  /** As AnswerStore has them. */
  forgetAnswersBefore(instant: number, count: number): number;
  forgetAnswersBeyond(owner: string, kept: number, count: number): number;
}

export function prepareOnceWrites(db: DatabaseSync, writes: Inner): OnceWrites {
  const select = db.prepare(
    `SELECT fingerprint, answer FROM idempotent_answers
     WHERE api_key_id = ? AND idempotency_key = ? AND created_at >= ?`,
  );
  // What is replaced is older than it counts.
  const insert = db.prepare(
    `INSERT OR REPLACE INTO idempotent_answers
       (api_key_id, idempotency_key, fingerprint, answer, created_at)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const forgetBefore = db.prepare(
    `DELETE FROM idempotent_answers WHERE place IN
       (SELECT place FROM idempotent_answers WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
  );
  const forgetBeyond = db.prepare(
    `DELETE FROM idempotent_answers WHERE place IN
       (SELECT place FROM idempotent_answers
        WHERE api_key_id = ?1 AND place <=
          (SELECT place FROM idempotent_answers WHERE api_key_id = ?1
           ORDER BY place DESC LIMIT 1 OFFSET ?2)
        ORDER BY place LIMIT ?3)`,
  );
  return {
    once(owner, key, fingerprint, at, since, address, ...inner) {
      const bytes = Buffer.from(fingerprint, 'base64');
      const kept = select.get(owner, key, since);
      if (kept) {
        return bytes.equals(kept.fingerprint as Uint8Array) ? String(kept.answer) : keyOfAnother();
      }
      // One without the other must not stay.
      return inSavepoint(db, () => {
        const answer = encodeAnswer(run(writes, inner), address);
        insert.run(owner, key, bytes, answer, at);
        return answer;
      });
    },
    forgetAnswersBefore: (instant, count) => Number(forgetBefore.run(instant, count).changes),
    forgetAnswersBeyond: (owner, kept, count) =>
      Number(forgetBeyond.run(owner, kept, count).changes),
  };
}

function run(writes: Inner, command: InnerCommand): Written | Refusal {
  switch (command[0]) {
    case 'createPet': {
      const [, name, categoryId, status] = command;
      const id = writes.createPet(name, categoryId, status);
      return { id, json: petJson(id, { name, categoryId, status }) };
    }
    case 'createCategory': {
      const [, name] = command;
      const id = writes.createCategory(name);
      return isRefusal(id) ? id : { id, json: categoryJson(id, name) };
    }
    case 'placeOrder': {
      const [, petId, at] = command;
      const id = writes.placeOrder(petId, at);
      if (isRefusal(id)) return id;
      return { id, json: orderJson({ id, petId, status: 'placed', placedAt: at, updatedAt: at }) };
    }
    case 'endOrder': {
      const [, id, end, at, precondition] = command;
      const json = writes.endOrder(id, end, at, precondition);
      return isRefusal(json) ? json : { id, json };
    }
  }
}
