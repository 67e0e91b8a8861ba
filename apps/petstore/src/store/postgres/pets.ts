import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { PetFields } from '../../pets/pet.ts';
import { expectPet, patchPet, petJson, refuseRemoval } from '../../pets/pet-rules.ts';
import { isRefusal } from '../../refusal.ts';
import type { PetStore } from '../store.ts';
import type { ResourceClients } from './client.ts';
import type { CreateQueue } from './create-queue.ts';
import { importPets } from './import.ts';
import { PageReader } from './page-reader.ts';

export function postgresPets({ pages, writes }: ResourceClients, queue: CreateQueue): PetStore {
  const reader = new PageReader(pages, {
    table: 'pets',
    // To the same letter as petJson writes it.
    json: `'{"id":' || id || ',"name":' || to_json(name)::text || ',"categoryId":' || category_id || ',"status":"' || status || '"}'`,
  });

  return {
    create: (pet) => queue.create(pet),

    createIdempotently: (idempotency, pet) => queue.createIdempotently(idempotency, pet),

    addMany: (pets) => importPets(writes, pets),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    rows: (after, count) => reader.lines({ after, limit: count }),

    update(id, patch, precondition) {
      return writes.transaction(async (db) => {
        const pet = expectPet(id, await lockPet(db, id), precondition);
        if (isRefusal(pet)) return pet;
        const patched = patchPet(pet, patch, await isOrdered(db, id));
        if (isRefusal(patched)) return patched;
        const { name, categoryId, status } = patched;
        if (patched !== pet) {
          await db.execute(sql`
            UPDATE pets SET name = ${name}, category_id = ${categoryId}, status = ${status}
            WHERE id = ${id}`);
        }
        return petJson(id, patched);
      });
    },

    remove(id, precondition) {
      return writes.transaction(async (db) => {
        const pet = expectPet(id, await lockPet(db, id), precondition);
        const refused = isRefusal(pet) ? pet : refuseRemoval(await isOrdered(db, id));
        if (refused) return refused;
        await db.execute(sql`DELETE FROM pets WHERE id = ${id}`);
        return 'removed';
      });
    },
  };
}

/**
 * Looks an animal up and keeps others from changing it or ordering it until the transaction ends: an
 * order is placed and ended under this lock too.
 */
export function lockPet(db: Connection, id: bigint): Promise<PetFields | undefined> {
  return db.row(sql`
    SELECT name, category_id AS "categoryId", status FROM pets WHERE id = ${id} FOR UPDATE`);
}

/** Whether an open order names an animal that this transaction has locked. */
async function isOrdered(db: Connection, petId: bigint): Promise<boolean> {
  const row = await db.row(sql`SELECT 1 FROM orders WHERE pet_id = ${petId} AND status = 'placed'`);
  return row !== undefined;
}
