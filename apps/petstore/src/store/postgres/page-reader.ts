import sql, { empty, raw } from 'sql-template-tag';
import type { Page, PageQuery } from '../contract/page.ts';
import type { RowReader } from './client.ts';

/** Between the rows of a page. JSON text has no line feed of its own. */
const SEPARATOR = '\n';

/** The source of pages. */
interface Source {
  readonly table: string;
  /** A row as JSON text, in SQL. */
  readonly json: string;
}

interface Query extends PageQuery {
  readonly status?: string | undefined;
}

interface Rows {
  /** Each row as JSON text, with SEPARATOR between them; null for none. */
  readonly text: string | null;
  /** The id of the last one. */
  readonly last: bigint | null;
  /** Whether more follow. */
  readonly isMore: boolean;
}

/**
 * Reads rows of a table as JSON text, one by its id and many in ascending order of id.
 *
 * Rows become visible in the order of their ids, since the database serializes the inserts of a table (migrations.ts,
 * version 4). So a client with a link past a row has missed none before it.
 */
export class PageReader {
  readonly #rowReader: RowReader;
  readonly #source: Source;

  constructor(rowReader: RowReader, source: Source) {
    this.#rowReader = rowReader;
    this.#source = source;
  }

  async row(id: bigint): Promise<string | undefined> {
    const { table, json } = this.#source;
    const row = await this.#rowReader.row<{ json: string }>(
      sql`SELECT ${raw(json)} AS json FROM ${raw(table)} WHERE id = ${id}`,
    );
    return row?.json;
  }

  async page(query: Query): Promise<Page> {
    const rows = await this.#rows(query);
    return { json: `[${rows.text?.replaceAll(SEPARATOR, ',') ?? ''}]`, next: nextOf(rows) };
  }

  /** A page with each row on its own. */
  async lines(query: Query): Promise<{ lines: string[]; next: bigint | undefined }> {
    const rows = await this.#rows(query);
    return { lines: rows.text?.split(SEPARATOR) ?? [], next: nextOf(rows) };
  }

  /**
   * The limit is written into the SQL: with it as a parameter PostgreSQL could not tell how few rows it
   * is about, and would plan the statement anew at every call.
   */
  async #rows({ limit, status, after }: Query): Promise<Rows> {
    const { table, json } = this.#source;
    const count = raw(`${limit}`);
    const rows = await this.#rowReader.row<Rows>(sql`
        SELECT string_agg(json, ${raw("E'\\n'")} ORDER BY id) FILTER (WHERE place <= ${count}) AS text,
               max(id) FILTER (WHERE place <= ${count}) AS last,
               count(*) > ${count} AS "isMore"
        FROM (SELECT id, ${raw(json)} AS json, row_number() OVER (ORDER BY id) AS place
              FROM ${raw(table)}
              WHERE true
                ${after === undefined ? empty : sql`AND id > ${after}`}
                ${status === undefined ? empty : sql`AND status = ${status}`}
              ORDER BY id LIMIT ${count} + 1) AS page`);
    if (!rows) throw new Error('an aggregate gave no row');
    return rows;
  }
}

function nextOf({ isMore, last }: Rows): Page['next'] {
  return isMore ? (last ?? undefined) : undefined;
}
