import type { DatabaseSync } from 'node:sqlite';
import type { CategoryPatch } from '../../categories/category.ts';
import {
  categoryJson,
  expectName,
  nameKey,
  nameTaken,
  refuseRemoval,
} from '../../categories/category-rules.ts';
import type { Precondition } from '../../precondition.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Written } from '../contract/written.ts';

/** The writes of categories, each within the transaction of its group. */
export interface CategoryWrites {
  createCategory(name: string): Written | Refusal;
  /** Returns the category as JSON text. */
  updateCategory(id: bigint, patch: CategoryPatch, precondition?: Precondition): string | Refusal;
  removeCategory(id: bigint, precondition?: Precondition): 'removed' | Refusal;
}

export function prepareCategoryWrites(db: DatabaseSync): CategoryWrites {
  const insert = db.prepare(
    'INSERT INTO categories (name, name_key) VALUES (?, ?) ON CONFLICT (name_key) DO NOTHING',
  );
  insert.setReadBigInts(true);
  const select = db.prepare('SELECT name FROM categories WHERE id = ?');
  const update = db.prepare('UPDATE OR IGNORE categories SET name = ?, name_key = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM categories WHERE id = ?');
  // There is no index: it would make every create a twentieth slower, for a query that only a deletion of a category
  // needs. Where no animal is in it, the query takes some 50 ms for each million of animals.
  const selectPet = db.prepare('SELECT 1 FROM pets WHERE category_id = ? LIMIT 1');
  const find = (id: bigint) => select.get(id)?.name as string | undefined;
  return {
    createCategory(name) {
      const { changes, lastInsertRowid } = insert.run(name, nameKey(name));
      const id = lastInsertRowid as bigint;
      return changes === 0n ? nameTaken() : { id, json: categoryJson(id, name) };
    },
    updateCategory(id, patch, precondition) {
      const name = expectName(id, find(id), precondition);
      if (isRefusal(name)) return name;
      const patched = patch.name ?? name;
      if (patched !== name && update.run(patched, nameKey(patched), id).changes === 0) {
        return nameTaken();
      }
      return categoryJson(id, patched);
    },
    removeCategory(id, precondition) {
      const name = expectName(id, find(id), precondition);
      const isUsed = () => selectPet.get(id) !== undefined;
      const refused = isRefusal(name) ? name : refuseRemoval(isUsed());
      if (refused) return refused;
      remove.run(id);
      return 'removed';
    },
  };
}
