import type { PetFields } from '../../pets/pet.ts';
import { petJson } from '../../pets/pet-json.ts';
import { expectPet, patchPet, refuseRemoval } from '../../pets/pet-rules.ts';
import { isRefusal } from '../../refusal.ts';
import type { PetStore } from '../store.ts';
import type { PostgresClient, Transaction } from './client.ts';
import { type CreateQueue, insertPets, retryOnTakenId } from './create-queue.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { importPets } from './import.ts';
import { LOCK_CLASS } from './migrations.ts';
import { PageReader } from './page-reader.ts';

export function postgresPets(
  client: PostgresClient,
  queue: CreateQueue,
  writeIdempotently: WriteIdempotently,
): PetStore {
  const reader = new PageReader(client, {
    table: 'pets',
    // To the same letter as petJson writes it.
    json: `'{"id":' || id || ',"name":' || to_json(name)::text || ',"categoryId":' || category_id || ',"status":"' || status || '"}'`,
    lockClass: LOCK_CLASS,
    sequence: 'pets_id_seq',
  });

  return {
    async create(pet) {
      const id = await queue.create(pet);
      return { id, json: petJson(id, pet) };
    },

    createIdempotently(idempotency, pet) {
      return retryOnTakenId(() =>
        writeIdempotently(idempotency, async (sql) => {
          const [id] = await insertPets(sql, [pet]);
          if (id === undefined) throw new Error('an insert gave no row');
          return { id, json: petJson(id, pet) };
        }),
      );
    },

    addMany: (pets) => importPets(client, pets),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    rows: (after, count) => reader.lines({ after, limit: count }),

    update(id, patch, precondition) {
      return client.transaction(async (sql) => {
        const pet = expectPet(id, await lockPet(sql, id), precondition);
        if (isRefusal(pet)) return pet;
        const patched = patchPet(pet, patch, await isOrdered(sql, id));
        if (isRefusal(patched)) return patched;
        const { name, categoryId, status } = patched;
        if (patched !== pet) {
          await sql`
            UPDATE pets SET name = ${name}, category_id = ${categoryId}, status = ${status}
            WHERE id = ${id}`;
        }
        return petJson(id, patched);
      });
    },

    remove(id, precondition) {
      return client.transaction(async (sql) => {
        const pet = expectPet(id, await lockPet(sql, id), precondition);
        const refused = isRefusal(pet) ? pet : refuseRemoval(await isOrdered(sql, id));
        if (refused) return refused;
        await sql`DELETE FROM pets WHERE id = ${id}`;
        return 'removed';
      });
    },
  };
}

/**
 * Looks an animal up and keeps others from changing it or ordering it until the transaction ends: an
 * order is placed and ended under this lock too.
 */
export async function lockPet(sql: Transaction, id: bigint): Promise<PetFields | undefined> {
  const [pet] = await sql<PetFields[]>`
    SELECT name, category_id AS "categoryId", status FROM pets WHERE id = ${id} FOR UPDATE`;
  return pet;
}

/** Whether an open order names an animal that this transaction has locked. */
async function isOrdered(sql: Transaction, petId: bigint): Promise<boolean> {
  const rows = await sql`SELECT 1 FROM orders WHERE pet_id = ${petId} AND status = 'placed'`;
  return rows.length > 0;
}
