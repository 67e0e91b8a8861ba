import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ByteBoundedCache } from '../../byte-bounded-cache.ts';
import { petJson } from '../../pets/pet.ts';
import type { PetPage, PetQuery, PetStore } from '../store.ts';
import type { Command, ValueOf } from './commands.ts';
import { translateErrors } from './errors.ts';

/** A row as a Pet. SQLite writes integers as they are, so every int64 keeps its digits. */
const PET_JSON = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export interface PetsDeps {
  /** The connection that reads. */
  readonly db: DatabaseSync;
  /** Resolves when a write is on disk. */
  readonly write: <C extends Command>(command: C) => Promise<ValueOf<C>>;
  /** Holds nothing that is older than the database. */
  readonly freshPages: () => ByteBoundedCache<PetPage>;
}

export function sqlitePets({ db, write, freshPages }: PetsDeps): PetStore {
  const select = db.prepare(`SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`);
  const readPage = pageReader(db);
  const readRows = rowReader(db);

  return {
    async create(pet) {
      const id = await write({ kind: 'createPet', ...pet });
      return { id, json: petJson(id, pet) };
    },

    get(id) {
      return translateErrors(() => select.get(id))?.json as string | undefined;
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
      return write({ kind: 'addPets', pets });
    },

    async rows(after, count) {
      return translateErrors(() => readRows(after, count));
    },
  };
}

function pageReader(db: DatabaseSync): (query: PetQuery) => PetPage {
  const statements = pageStatements(db);
  return (query) => {
    const { page, isFollowed } = statements(query);
    const position = query.after === undefined ? [] : [query.after];
    const filter = query.status === undefined ? [] : [query.status];
    const row = page.get(...position, ...filter) as {
      json: string;
      last: bigint | null;
      count: bigint;
    };
    const isFull = row.last !== null && row.count === BigInt(query.limit);
    const isMore = isFull && isFollowed.get(row.last, ...filter) !== undefined;
    return { json: row.json, next: isMore ? (row.last ?? undefined) : undefined };
  };
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

interface PageStatements {
  /** A page as JSON, its last id, and how many animals it holds. */
  readonly page: StatementSync;
  /** Finds a row when an animal follows an id. */
  readonly isFollowed: StatementSync;
}

/**
 * One pair of statements for each shape of a query, made when it is first asked for. The limit is
 * written into the SQL: SQLite would prepare a statement with `LIMIT ?` anew at every call.
 */
function pageStatements(db: DatabaseSync): (query: PetQuery) => PageStatements {
  const prepared = new Map<string, PageStatements>();
  return ({ limit, status, after }) => {
    const shape = `${limit} ${status !== undefined} ${after !== undefined}`;
    let statements = prepared.get(shape);
    if (!statements) {
      statements = preparePage(db, limit, status !== undefined, after !== undefined);
      prepared.set(shape, statements);
    }
    return statements;
  };
}

function preparePage(
  db: DatabaseSync,
  limit: number,
  hasStatus: boolean,
  hasPosition: boolean,
): PageStatements {
  const filter = hasStatus ? 'status = ?' : 'true';
  const page = db.prepare(
    `SELECT json_group_array(${PET_JSON}) AS json, max(id) AS last, count(*) AS count
     FROM (SELECT id, name, category_id, status FROM pets
           WHERE ${hasPosition ? 'id > ?' : 'true'} AND ${filter}
           ORDER BY id LIMIT ${limit})`,
  );
  page.setReadBigInts(true);
  const isFollowed = db.prepare(`SELECT 1 FROM pets WHERE id > ? AND ${filter} LIMIT 1`);
  return { page, isFollowed };
}
