import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import type { PetFields } from '../../pets/pet.ts';
import { expectPet, patchPet, petJson, refuseRemoval } from '../../pets/pet-rules.ts';
import { isRefusal } from '../../refusal.ts';
import type { AddOutcome, BulkPetStore, ImportedPet } from '../contract/pet-store.ts';
import type { PostgresClient, ResourceClients } from './client.ts';
import { type CreateQueue, insertPets, rowsJson } from './create-queue.ts';
import { insertEvents } from './event-logs.ts';
import { PageReader } from './page-reader.ts';
import { PET_JSON } from './pet-json.ts';
import { searchPets } from './pet-search.ts';

export function postgresPets({ pages, writes }: ResourceClients, queue: CreateQueue): BulkPetStore {
  const reader = new PageReader(pages, {
    table: 'pets',
    json: PET_JSON,
  });

  return {
    create: (pet) => queue.create(pet),

    createIdempotently: (idempotency, pet) => queue.createIdempotently(idempotency, pet),

    addMany: (pets) => importPets(writes, pets),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    query: (search) => searchPets(pages, search),

    rows: (after, count) => reader.lines({ after, limit: count }),

    update(id, patch, precondition) {
      return writes.transaction(async (db) => {
        const pet = expectPet(id, await lockPet(db, id), precondition);
        if (isRefusal(pet)) return pet;
        const patched = patchPet(pet, patch, await isOrdered(db, id));
        if (isRefusal(patched)) return patched;
        const { name, categoryId, status } = patched;
        const json = petJson(id, patched);
        if (patched !== pet) {
          await db.execute(sql`
            WITH told AS (${insertEvents(['pet.updated', json])})
            UPDATE pets SET name = ${name}, category_id = ${categoryId}, status = ${status}
            WHERE id = ${id}`);
        }
        return json;
      });
    },

    remove(id, precondition) {
      return writes.transaction(async (db) => {
        const pet = expectPet(id, await lockPet(db, id), precondition);
        if (isRefusal(pet)) return pet;
        const refused = refuseRemoval(await isOrdered(db, id));
        if (refused) return refused;
        await db.execute(sql`
          WITH told AS (${insertEvents(['pet.deleted', petJson(id, pet)])})
          DELETE FROM pets WHERE id = ${id}`);
        return 'removed';
      });
    },
  };
}

/** Reads an animal and locks it until the transaction ends. Placing and ending an order takes this lock, too. */
export function lockPet(db: Connection, id: bigint): Promise<PetFields | undefined> {
  return db.row(sql`
    SELECT name, category_id AS "categoryId", status FROM pets WHERE id = ${id} FOR UPDATE`);
}

/** Whether an open order names an animal that this transaction has locked. */
async function isOrdered(db: Connection, petId: bigint): Promise<boolean> {
  const row = await db.row(sql`SELECT 1 FROM orders WHERE pet_id = ${petId} AND status = 'placed'`);
  return row !== undefined;
}

type WithId = ImportedPet & { readonly id: bigint };

/** Adds animals in one transaction, in order: see BulkPetStore.addMany. */
function importPets(client: PostgresClient, pets: readonly ImportedPet[]): Promise<AddOutcome[]> {
  return client.transaction(async (db) => {
    const outcomes: AddOutcome[] = [];
    for (const run of runs(pets)) {
      if (hasIds(run)) {
        outcomes.push(...(await addWithIds(db, run)));
      } else {
        await insertPets(db, run);
        outcomes.push(...run.map((): AddOutcome => 'added'));
      }
    }
    return outcomes;
  });
}

/** Neighbours that all have ids, or all have none, go into one statement. */
function runs(pets: readonly ImportedPet[]): ImportedPet[][] {
  const runs: ImportedPet[][] = [];
  for (const pet of pets) {
    const run = runs.at(-1);
    const isSameKind = run && (run[0]?.id === undefined) === (pet.id === undefined);
    if (isSameKind) run.push(pet);
    else runs.push([pet]);
  }
  return runs;
}

function hasIds(run: readonly ImportedPet[]): run is readonly WithId[] {
  return run[0]?.id !== undefined;
}

async function addWithIds(db: Connection, pets: readonly WithId[]): Promise<AddOutcome[]> {
  const highest = pets.reduce((max, { id }) => (id > max ? id : max), 0n);
  // First, so that animals created meanwhile get later ids. Another process may take one of these ids in between; then
  // the primary key refuses the insert, and it is retried.
  await db.execute(sql`
    SELECT setval('pets_id_seq', ${highest}) FROM pets_id_seq
    WHERE last_value < ${highest} OR (last_value = ${highest} AND NOT is_called)`);
  const inserted = await db.rows<{ id: bigint }>(sql`
    INSERT INTO pets (id, name, category_id, status)
    SELECT id, name, category_id, status
    FROM ROWS FROM (json_to_recordset(${rowsJson(pets)}::text::json)
                    AS (id bigint, name text, category_id bigint, status text))
         WITH ORDINALITY AS pet (id, name, category_id, status, place)
    ORDER BY place
    ON CONFLICT (id) DO NOTHING
    RETURNING id`);
  const added = new Set(inserted.map(({ id }) => id));
  const stored = await storedPets(db, pets);
  return pets.map((pet) => {
    if (added.delete(pet.id)) return 'added';
    return stored.get(pet.id) === petJson(pet.id, pet) ? 'present' : 'conflict';
  });
}

/** What is in the database under the ids of these animals, as JSON text. */
async function storedPets(db: Connection, pets: readonly WithId[]): Promise<Map<bigint, string>> {
  const rows = await db.rows<WithId>(sql`
    SELECT id, name, category_id AS "categoryId", status
    FROM pets JOIN json_to_recordset(${rowsJson(pets)}::text::json) AS imported (id bigint) USING (id)`);
  return new Map(rows.map((row) => [row.id, petJson(row.id, row)]));
}
