import type { DatabaseSync } from 'node:sqlite';
import { petJson } from '../../pets/pet-rules.ts';
import type { BulkPetStore } from '../contract/pet-store.ts';
import { translateErrors } from './errors.ts';
import type { TableDeps } from './idempotency.ts';
import { oneATurn } from './one-a-turn.ts';
import type { PageCache } from './page-cache.ts';
import { pageReader, rowReader, type Source } from './page-reader.ts';
import { petSearcher } from './pet-search.ts';

const PETS: Source = {
  table: 'pets',
  columns: 'id, name, category_id, status',
  json: `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`,
};

interface PetsDeps extends TableDeps {
  /** Emptied whenever the database has changed. */
  readonly freshPages: () => PageCache;
}

export function sqlitePets({ db, write, writeIdempotently, freshPages }: PetsDeps): BulkPetStore {
  const readPet = rowReader(db, PETS);
  const readPage = pageReader(db, PETS);
  const readLines = lineReader(db);
  const search = petSearcher(db, PETS);
  const takeTurn = oneATurn();

  return {
    async create(pet) {
      const id = await write('createPet', pet.name, pet.categoryId, pet.status);
      return { id, json: petJson(id, pet) };
    },

    createIdempotently(idempotency, { name, categoryId, status }) {
      return writeIdempotently(idempotency, 'createPet', name, categoryId, status);
    },

    get(id) {
      return translateErrors(() => readPet(id));
    },

    list(query) {
      return translateErrors(() => {
        // The cache is checked before the page is read: a commit in between is noticed next time.
        const pages = freshPages();
        const { limit, status = '', after = '' } = query;
        const name = `${limit} ${status} ${after}`;
        return pages.get(name, () => readPage(query));
      });
    },

    query(query) {
      return takeTurn(() => translateErrors(() => search(query)));
    },

    addMany(pets) {
      return write('addPets', pets);
    },

    update(id, patch, precondition) {
      return write('updatePet', id, patch, precondition);
    },

    remove(id, precondition) {
      return write('removePet', id, precondition);
    },

    async rows(after, count) {
      return translateErrors(() => readLines(after, count));
    },
  };
}

/** Reads animals as JSON texts, for export. */
function lineReader(db: DatabaseSync) {
  const select = (where: string) => {
    const rows = db.prepare(
      `SELECT id, ${PETS.json} AS json FROM pets WHERE ${where} ORDER BY id LIMIT ?`,
    );
    rows.setReadBigInts(true);
    return rows;
  };
  const first = select('true');
  const following = select('id > ?');
  return (after: bigint | undefined, count: number) => {
    // One more than requested, to see whether more follow.
    const rows = (after === undefined
      ? first.all(count + 1)
      : following.all(after, count + 1)) as unknown as { id: bigint; json: string }[];
    const wanted = rows.slice(0, count);
    return {
      lines: wanted.map(({ json }) => json),
      next: rows.length > count ? wanted.at(-1)?.id : undefined,
    };
  };
}
