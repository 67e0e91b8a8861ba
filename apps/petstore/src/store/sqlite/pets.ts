import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ByteBoundedCache } from '../../byte-bounded-cache.ts';
import { petJson } from '../../pets/pet.ts';
import type { PetPage, PetQuery, PetStore } from '../store.ts';
import type { Write } from './commands.ts';
import { translateErrors } from './errors.ts';

/** A row as a Pet. SQLite writes integers as they are, so every int64 keeps its digits. */
const PET_JSON = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export interface PetsDeps {
  /** The connection that reads. */
  readonly db: DatabaseSync;
  readonly write: Write;
  /** Holds nothing that is older than the database. */
  readonly freshPages: () => ByteBoundedCache<PetPage>;
}

export function sqlitePets({ db, write, freshPages }: PetsDeps): PetStore {
  const select = db.prepare(`SELECT ${PET_JSON} FROM pets WHERE id = ?`);
  select.setReturnArrays(true);
  const readPage = pageReader(db);
  const readRows = rowReader(db);

  return {
    async create(pet) {
      const id = await write('createPet', pet.name, pet.categoryId, pet.status);
      return { id, json: petJson(id, pet) };
    },

    get(id) {
      const row = translateErrors(() => select.get(id)) as [string] | undefined;
      return row?.[0];
    },

    list(query) {
      return translateErrors(() => {
        // The cache is made fresh before the page is read: a commit in between is seen next time.
        const pages = freshPages();
        const { limit, status = '', after = '' } = query;
        const name = `${limit} ${status} ${after}`;
        let page = pages.get(name);
        if (!page) {
          page = readPage(query);
          pages.set(name, page, 2 * page.json.length);
        }
        return page;
      });
    },

    addMany(pets) {
      return write('addPets', pets);
    },

    async rows(after, count) {
      return translateErrors(() => readRows(after, count));
    },
  };
}

/**
 * One statement for each shape of a query, made when it is first asked for. The limit is written into
 * the SQL: SQLite would prepare a statement with `LIMIT ?` anew at every call.
 */
function pageReader(db: DatabaseSync): (query: PetQuery) => PetPage {
  const prepared = new Map<string, StatementSync>();
  return ({ limit, status, after }) => {
    const shape = `${limit} ${status !== undefined} ${after !== undefined}`;
    let statement = prepared.get(shape);
    if (!statement) {
      statement = preparePage(db, limit, status !== undefined, after !== undefined);
      prepared.set(shape, statement);
    }
    const filter = status === undefined ? [] : [status];
    const position = after === undefined ? [] : [after];
    const parameters = [...filter, ...position, ...filter];
    const [json, next] = statement.get(...parameters) as unknown as [string, bigint | null];
    return { json, next: next ?? undefined };
  };
}

/** A page as JSON, and its last id when an animal follows. */
function preparePage(
  db: DatabaseSync,
  limit: number,
  hasStatus: boolean,
  hasPosition: boolean,
): StatementSync {
  const filter = hasStatus ? 'status = ?' : 'true';
  const page = db.prepare(
    `SELECT json,
       CASE WHEN count = ${limit} AND EXISTS (SELECT 1 FROM pets WHERE id > last AND ${filter})
       THEN last END
     FROM (SELECT json_group_array(${PET_JSON}) AS json, max(id) AS last, count(*) AS count
           FROM (SELECT id, name, category_id, status FROM pets
                 WHERE ${hasPosition ? 'id > ?' : 'true'} AND ${filter}
                 ORDER BY id LIMIT ${limit}))`,
  );
  page.setReadBigInts(true);
  page.setReturnArrays(true);
  return page;
}

function rowReader(db: DatabaseSync) {
  const select = (where: string) => {
    const rows = db.prepare(
      `SELECT id, ${PET_JSON} AS json FROM pets WHERE ${where} ORDER BY id LIMIT ?`,
    );
    rows.setReadBigInts(true);
    return rows;
  };
  const first = select('true');
  const following = select('id > ?');
  return (after: bigint | undefined, count: number) => {
    // One more than asked: whether any follows.
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
