import type { CategoryStore } from '../store.ts';
import { translateErrors } from './errors.ts';
import type { TableDeps } from './idempotency.ts';
import { pageReader, rowReader, type Source } from './page-reader.ts';

const CATEGORIES: Source = {
  table: 'categories',
  columns: 'id, name',
  json: `json_object('id', id, 'name', name)`,
};

export function sqliteCategories({ db, write, writeIdempotently }: TableDeps): CategoryStore {
  const readCategory = rowReader(db, CATEGORIES);
  const readPage = pageReader(db, CATEGORIES);
  return {
    create: ({ name }) => write('createCategory', name),
    createIdempotently: (idempotency, { name }) =>
      writeIdempotently(idempotency, 'createCategory', name),
    get: (id) => translateErrors(() => readCategory(id)),
    list: (query) => translateErrors(() => readPage(query)),
    update: (id, patch, precondition) => write('updateCategory', id, patch, precondition),
    remove: (id, precondition) => write('removeCategory', id, precondition),
  };
}
