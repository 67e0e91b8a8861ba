import { categoryJson } from '../../categories/category-json.ts';
import { expectName, nameKey, nameTaken, refuseRemoval } from '../../categories/category-rules.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { CategoryStore, Written } from '../store.ts';
import type { PostgresClient, Sql, Transaction } from './client.ts';
import { isNameTaken } from './errors.ts';
import type { WriteIdempotently } from './idempotency.ts';
import { CATEGORY_LOCK_CLASS } from './migrations.ts';
import { PageReader } from './page-reader.ts';

export function postgresCategories(
  client: PostgresClient,
  writeIdempotently: WriteIdempotently,
): CategoryStore {
  const reader = new PageReader(client, {
    table: 'categories',
    // To the same letter as categoryJson writes it.
    json: `'{"id":' || id || ',"name":' || to_json(name)::text || '}'`,
    lockClass: CATEGORY_LOCK_CLASS,
    sequence: 'categories_id_seq',
  });

  return {
    create: ({ name }) => client.run((sql) => insertCategory(sql, name)),

    createIdempotently: (idempotency, { name }) =>
      writeIdempotently(idempotency, (sql) => insertCategory(sql, name)),

    get: (id) => reader.row(id),

    list: (query) => reader.page(query),

    async update(id, patch, precondition) {
      try {
        return await client.transaction(async (sql) => {
          const name = expectName(id, await lockName(sql, id), precondition);
          if (isRefusal(name)) return name;
          const patched = patch.name ?? name;
          if (patched !== name) {
            await sql`
              UPDATE categories SET name = ${patched}, name_key = ${nameKey(patched)}
              WHERE id = ${id}`;
          }
          return categoryJson(id, patched);
        });
      } catch (error) {
        if (isNameTaken(error)) return nameTaken();
        throw error;
      }
    },

    remove(id, precondition) {
      return client.transaction(async (sql) => {
        const name = expectName(id, await lockName(sql, id), precondition);
        if (isRefusal(name)) return name;
        const pets = await sql`SELECT 1 FROM pets WHERE category_id = ${id} LIMIT 1`;
        const refused = refuseRemoval(pets.length > 0);
        if (refused) return refused;
        await sql`DELETE FROM categories WHERE id = ${id}`;
        return 'removed';
      });
    },
  };
}

async function insertCategory(sql: Sql | Transaction, name: string): Promise<Written | Refusal> {
  const [row] = await sql<{ id: bigint }[]>`
    INSERT INTO categories (name, name_key) VALUES (${name}, ${nameKey(name)})
    ON CONFLICT (name_key) DO NOTHING RETURNING id`;
  return row ? { id: row.id, json: categoryJson(row.id, name) } : nameTaken();
}

async function lockName(sql: Transaction, id: bigint): Promise<string | undefined> {
  const [row] = await sql<{ name: string }[]>`
    SELECT name FROM categories WHERE id = ${id} FOR UPDATE`;
  return row?.name;
}
