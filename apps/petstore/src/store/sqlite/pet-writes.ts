import type { DatabaseSync } from 'node:sqlite';
import type { NotedEvents } from '../../events/event-group.ts';
import type { PetFields, PetPatch, PetStatus } from '../../pets/pet.ts';
import { expectPet, patchPet, petJson, refuseRemoval } from '../../pets/pet-rules.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { AddOutcome, ImportedPet } from '../contract/pet-store.ts';

/** The writes of animals, each within the transaction of its group. */
export interface PetWrites {
  /** Returns the new id. */
  createPet(name: string, categoryId: bigint, status: PetStatus): bigint;
  /** Returns the outcome for each animal. A conflicting animal is left out; an error undoes all. Tells no events. */
  addPets(pets: readonly ImportedPet[]): AddOutcome[];
  /** Returns the animal as JSON text. */
  updatePet(id: bigint, patch: PetPatch, precondition?: Precondition): string | Refusal;
  removePet(id: bigint, precondition?: Precondition): 'removed' | Refusal;
}

/** `noted`: where the events of the writes go. */
export function preparePetWrites(db: DatabaseSync, noted: NotedEvents): PetWrites {
  const insert = db.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  insert.setReadBigInts(true);
  const add = petAdder(db);
  const find = petFinder(db);
  const isOrdered = openOrderFinder(db);
  const update = db.prepare('UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM pets WHERE id = ?');
  return {
    createPet(name, categoryId, status) {
      const id = insert.run(name, categoryId, status).lastInsertRowid as bigint;
      noted.notePet('pet.created', id, { name, categoryId, status });
      return id;
    },
    addPets: (pets) => pets.map(add),
    updatePet(id, patch, precondition) {
      const pet = expectPet(id, find(id), precondition);
      if (isRefusal(pet)) return pet;
      const patched = patchPet(pet, patch, isOrdered(id));
      if (isRefusal(patched)) return patched;
      if (patched !== pet) {
        update.run(patched.name, patched.categoryId, patched.status, id);
        noted.notePet('pet.updated', id, patched);
      }
      return petJson(id, patched);
    },
    removePet(id, precondition) {
      const pet = expectPet(id, find(id), precondition);
      if (isRefusal(pet)) return pet;
      const refused = refuseRemoval(isOrdered(id));
      if (refused) return refused;
      remove.run(id);
      noted.notePet('pet.deleted', id, pet);
      return 'removed';
    },
  };
}

export function petFinder(db: DatabaseSync): (id: bigint) => PetFields | undefined {
  const select = db.prepare(
    'SELECT name, category_id AS categoryId, status FROM pets WHERE id = ?',
  );
  select.setReadBigInts(true);
  return (id) => select.get(id) as PetFields | undefined;
}

/** Tells whether an open order names an animal. */
function openOrderFinder(db: DatabaseSync): (petId: bigint) => boolean {
  const select = db.prepare(`SELECT 1 FROM orders WHERE pet_id = ? AND status = 'placed'`);
  return (petId) => select.get(petId) !== undefined;
}

function petAdder(db: DatabaseSync): (pet: ImportedPet) => AddOutcome {
  // For a NULL id AUTOINCREMENT picks one, which is greater than all ids given here.
  const insert = db.prepare(
    `INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
  );
  const isSame = db.prepare(
    'SELECT 1 FROM pets WHERE id = ? AND name = ? AND category_id = ? AND status = ?',
  );
  return ({ id = null, name, categoryId, status }) => {
    if (insert.run(id, name, categoryId, status).changes === 1) return 'added';
    return isSame.get(id, name, categoryId, status) ? 'present' : 'conflict';
  };
}
