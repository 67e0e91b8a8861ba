import type { Connection } from '@petstore/postgres/connection.ts';
import sql from 'sql-template-tag';
import {
  categoryJson,
  expectName,
  nameKey,
  nameTaken,
  refuseRemoval,
} from '../../categories/category-rules.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { CategoryStore } from '../contract/category-store.ts';
import type { Written } from '../contract/written.ts';
import type { ResourceClients } from './client.ts';
import { isNameTaken } from './errors.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { PageReader } from './page-reader.ts';

export function postgresCategories(
  { pages, writes }: ResourceClients,
  writeIdempotently: WriteIdempotently,
): CategoryStore {
  const reader = new PageReader(pages, {
    table: 'categories',
    // Byte for byte as categoryJson writes it.
    json: `'{"id":' || id || ',"name":' || to_json(name)::text || '}'`,
  });

  return {
    create: ({ name }) => writes.run((db) => insertCategory(db, name)),

    createIdempotently: (idempotency, { name }) =>
      writeIdempotently(idempotency, (db) => insertCategory(db, name)),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    async update(id, patch, precondition) {
      try {
        return await writes.transaction(async (db) => {
          const name = expectName(id, await lockName(db, id), precondition);
          if (isRefusal(name)) return name;
          const patched = patch.name ?? name;
          if (patched !== name) {
            await db.execute(sql`
              UPDATE categories SET name = ${patched}, name_key = ${nameKey(patched)}
              WHERE id = ${id}`);
          }
          return categoryJson(id, patched);
        });
      } catch (error) {
        if (isNameTaken(error)) return nameTaken();
        throw error;
      }
    },

    remove(id, precondition) {
      return writes.transaction(async (db) => {
        const name = expectName(id, await lockName(db, id), precondition);
        if (isRefusal(name)) return name;
        const pet = await db.row(sql`SELECT 1 FROM pets WHERE category_id = ${id} LIMIT 1`);
        const refused = refuseRemoval(pet !== undefined);
        if (refused) return refused;
        await db.execute(sql`DELETE FROM categories WHERE id = ${id}`);
        return 'removed';
      });
    },
  };
}

async function insertCategory(db: Connection, name: string): Promise<Written | Refusal> {
  const row = await db.row<{ id: bigint }>(sql`
    INSERT INTO categories (name, name_key) VALUES (${name}, ${nameKey(name)})
    ON CONFLICT (name_key) DO NOTHING RETURNING id`);
  return row ? { id: row.id, json: categoryJson(row.id, name) } : nameTaken();
}

async function lockName(db: Connection, id: bigint): Promise<string | undefined> {
  const row = await db.row<{ name: string }>(sql`
    SELECT name FROM categories WHERE id = ${id} FOR UPDATE`);
  return row?.name;
}
