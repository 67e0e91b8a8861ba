import { setTimeout as sleep } from 'node:timers/promises';
import { type Page, type PageQuery, StoreUnavailableError } from '../store.ts';
import type { PostgresClient } from './client.ts';
import { Horizon, type InsertAnnouncements } from './horizon.ts';

/** How long a page may wait for the inserts under way in its middle, in milliseconds. */
const SETTLE_TIMEOUT_MS = 1_000;

/** How often it looks again. An insert of this service takes a few milliseconds. */
const SETTLE_INTERVAL_MS = 5;

/** Between the rows of a page. JSON text has no line feed of its own. */
const SEPARATOR = '\n';

/** What pages are made of. */
export interface Source extends InsertAnnouncements {
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

/** Reads rows of a table as JSON text, one by its id and many in ascending order of id. */
export class PageReader {
  readonly #client: PostgresClient;
  readonly #source: Source;
  readonly #horizon: Horizon;

  constructor(client: PostgresClient, source: Source) {
    this.#client = client;
    this.#source = source;
    this.#horizon = new Horizon(client, source);
  }

  async row(id: bigint): Promise<string | undefined> {
    const { table, json } = this.#source;
    const [row] = await this.#client.run(
      (sql) => sql<{ json: string }[]>`
        SELECT ${sql.unsafe(json)} AS json FROM ${sql(table)} WHERE id = ${id}`,
    );
    return row?.json;
  }

  async page(query: Query): Promise<Page> {
    const rows = await this.#settledRows(query);
    return { json: `[${rows.text?.replaceAll(SEPARATOR, ',') ?? ''}]`, next: nextOf(rows) };
  }

  /** A page with each row on its own. */
  async lines(query: Query): Promise<{ lines: string[]; next: bigint | undefined }> {
    const rows = await this.#settledRows(query);
    return { lines: rows.text?.split(SEPARATOR) ?? [], next: nextOf(rows) };
  }

  /**
   * The rows of a page. The last page shows whatever is committed. A page that others follow ends at
   * the horizon at the latest, and so may be shorter than asked for: the next one starts where it
   * ends, and must not start behind a row that is still to come.
   */
  async #settledRows(query: Query): Promise<Rows> {
    const deadline = performance.now() + SETTLE_TIMEOUT_MS;
    // Known before the rows are read, so nothing can be missing among them up to there.
    let { settled } = this.#horizon;
    for (;;) {
      const rows = await this.#readRows(query);
      if (!rows.isMore || rows.last === null || rows.last <= settled) return rows;
      settled = await this.#horizon.ask();
      const whole = await this.#readRows(query, settled);
      if (whole.last !== null) return { ...whole, isMore: true };
      if (performance.now() > deadline) {
        throw new StoreUnavailableError(
          `an insert above id ${settled} has been open for ${SETTLE_TIMEOUT_MS} ms, and no page may lead past it`,
        );
      }
      await sleep(SETTLE_INTERVAL_MS);
    }
  }

  /**
   * The limit is written into the SQL: with it as a parameter PostgreSQL could not tell how few rows it
   * is about, and would plan the statement anew at every call.
   */
  async #readRows({ limit, status, after }: Query, upTo?: bigint): Promise<Rows> {
    const { table, json } = this.#source;
    const [rows] = await this.#client.run((sql) => {
      const count = sql.unsafe(`${limit}`);
      return sql<Rows[]>`
        SELECT string_agg(json, ${SEPARATOR} ORDER BY id) FILTER (WHERE place <= ${count}) AS text,
               max(id) FILTER (WHERE place <= ${count}) AS last,
               count(*) > ${count} AS "isMore"
        FROM (SELECT id, ${sql.unsafe(json)} AS json, row_number() OVER (ORDER BY id) AS place
              FROM ${sql(table)}
              WHERE true
                ${after === undefined ? sql`` : sql`AND id > ${after}`}
                ${upTo === undefined ? sql`` : sql`AND id <= ${upTo}`}
                ${status === undefined ? sql`` : sql`AND status = ${status}`}
              ORDER BY id LIMIT ${count} + 1) AS page`;
    });
    if (!rows) throw new Error('an aggregate gave no row');
    return rows;
  }
}

function nextOf({ isMore, last }: Rows): Page['next'] {
  return isMore ? (last ?? undefined) : undefined;
}
