import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import { petJson } from '../../pets/pet-rules.ts';
import type { AddOutcome, ImportedPet } from '../store.ts';
import type { PostgresClient } from './client.ts';
import { insertPets, rowsJson } from './create-queue.ts';

type WithId = ImportedPet & { readonly id: bigint };

/** Adds animals in one transaction, in order: see PetStore.addMany. */
export function importPets(
  client: PostgresClient,
  pets: readonly ImportedPet[],
): Promise<AddOutcome[]> {
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
  // First, so that animals created meanwhile take ids behind these. Another process may take one in
  // between the look and the step; the table's key refuses it, and it is tried again.
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
    FROM pets JOIN json_to_recordset(${rowsJson(pets)}::text::json) AS asked (id bigint) USING (id)`);
  return new Map(rows.map((row) => [row.id, petJson(row.id, row)]));
}
