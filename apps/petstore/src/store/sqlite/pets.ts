import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { petJson } from '../../pets/pet.ts';
import type { AddOutcome, ImportedPet, PetPage, PetQuery, PetStore } from '../store.ts';
import type { Command } from './commands.ts';
import { translateErrors } from './errors.ts';
import type { PageCache } from './page-cache.ts';

/** A row as a Pet. SQLite writes integers as they are, so every int64 keeps its digits. */
const PET_JSON = `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', status)`;

export interface PetsDeps {
  /** The connection that reads. */
  readonly db: DatabaseSync;
  /** Resolves when a write is on disk. */
  readonly write: (command: Command) => Promise<bigint>;
  /** Holds nothing that is older than the database. */
  readonly freshPages: () => PageCache;
}

export function sqlitePets({ db, write, freshPages }: PetsDeps): PetStore {
  const select = db.prepare(`SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`);
  const readPage = pageReader(db);
  const addAll = importer(db);
  const readRows = rowsReader(db);

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
        let page = pages.get(query);
        if (!page) {
          page = readPage(query);
          pages.add(query, page);
        }
        return page;
      });
    },

    async addMany(pets) {
      const outcomes = translateErrors(() => addAll(pets));
      freshPages().clear();
      return outcomes;
    },

    async rows(after, count) {
      return translateErrors(() => readRows(after, count));
    },
  };
}

function importer(db: DatabaseSync): (pets: readonly ImportedPet[]) => AddOutcome[] {
  const insert = db.prepare(
    `INSERT INTO pets (id, name, category_id, status) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO NOTHING`,
  );
  const select = db.prepare(`SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`);
  const add = ({ id, ...pet }: ImportedPet): AddOutcome => {
    const { changes } = insert.run(id ?? null, pet.name, pet.categoryId, pet.status);
    if (changes === 1 || id === undefined) return 'added';
    return select.get(id)?.json === petJson(id, pet) ? 'present' : 'conflict';
  };
  return (pets) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      const outcomes = pets.map(add);
      db.exec('COMMIT');
      return outcomes;
    } finally {
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  };
}

function rowsReader(db: DatabaseSync): (after: bigint | undefined, count: number) => Rows {
  const select = db.prepare(
    `SELECT id, ${PET_JSON} AS json FROM pets WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2`,
  );
  select.setReadBigInts(true);
  return (after, count) => {
    const rows = select.all(after ?? null, count + 1) as { id: bigint; json: string }[];
    const lines = rows.slice(0, count).map(({ json }) => json);
    return { lines, next: rows.length > count ? rows[count - 1]?.id : undefined };
  };
}

type Rows = Awaited<ReturnType<PetStore['rows']>>;

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
