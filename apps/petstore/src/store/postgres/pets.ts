import { setTimeout as sleep } from 'node:timers/promises';
import { petJson } from '../../pets/pet.ts';
import { type PetPage, type PetQuery, type PetStore, StoreUnavailableError } from '../store.ts';
import type { PostgresClient } from './client.ts';
import { CreateQueue } from './create-queue.ts';
import { Horizon } from './horizon.ts';
import { importPets } from './import.ts';

/** How long a page may wait for the inserts under way in its middle, in milliseconds. */
const SETTLE_TIMEOUT_MS = 1_000;

/** How often it looks again. An insert of this service takes a few milliseconds. */
const SETTLE_INTERVAL_MS = 5;

/** Between the animals of a page. JSON text has no line feed of its own. */
const SEPARATOR = '\n';

interface Rows {
  /** Each animal as JSON text, with SEPARATOR between them; null for none. */
  readonly text: string | null;
  /** The id of the last one. */
  readonly last: bigint | null;
  /** Whether more follow. */
  readonly isMore: boolean;
}

export function postgresPets(client: PostgresClient): PetStore {
  const queue = new CreateQueue(client);
  const horizon = new Horizon(client);
  const page = (query: PetQuery) => settledRows(client, horizon, query);

  return {
    async create(pet) {
      const id = await queue.create(pet);
      return { id, json: petJson(id, pet) };
    },

    addMany: (pets) => importPets(client, pets),

    async get(id) {
      const [row] = await client.run(
        (sql) => sql<{ json: string }[]>`
          SELECT ${sql.unsafe(PET_JSON)} AS json FROM pets WHERE id = ${id}`,
      );
      return row?.json;
    },

    async list(query) {
      const rows = await page(query);
      return { json: `[${rows.text?.replaceAll(SEPARATOR, ',') ?? ''}]`, next: nextOf(rows) };
    },

    async rows(after, count) {
      const rows = await page({ after, limit: count, status: undefined });
      return { lines: rows.text?.split(SEPARATOR) ?? [], next: nextOf(rows) };
    },
  };
}

function nextOf({ isMore, last }: Rows): PetPage['next'] {
  return isMore ? (last ?? undefined) : undefined;
}

/**
 * The rows of a page. The last page shows whatever is committed. A page that others follow ends at
 * the horizon at the latest, and so may be shorter than asked for: the next one starts where it
 * ends, and must not start behind an animal that is still to come.
 */
async function settledRows(
  client: PostgresClient,
  horizon: Horizon,
  query: PetQuery,
): Promise<Rows> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  // Known before the rows are read, so nothing can be missing among them up to there.
  let { settled } = horizon;
  for (;;) {
    const rows = await readRows(client, query);
    if (!rows.isMore || rows.last === null || rows.last <= settled) return rows;
    settled = await horizon.ask();
    const whole = await readRows(client, query, settled);
    if (whole.last !== null) return { ...whole, isMore: true };
    if (performance.now() > deadline) {
      throw new StoreUnavailableError(
        `an insert above id ${settled} has been open for ${SETTLE_TIMEOUT_MS} ms, and no page may lead past it`,
      );
    }
    await sleep(SETTLE_INTERVAL_MS);
  }
}

/** A row as a Pet, to the same letter as petJson writes it. */
const PET_JSON = `'{"id":' || id || ',"name":' || to_json(name)::text || ',"categoryId":' || category_id || ',"status":"' || status || '"}'`;

/**
 * The limit is written into the SQL: with it as a parameter PostgreSQL could not tell how few rows it
 * is about, and would plan the statement anew at every call.
 */
async function readRows(
  client: PostgresClient,
  { limit, status, after }: PetQuery,
  upTo?: bigint,
): Promise<Rows> {
  const [rows] = await client.run((sql) => {
    const count = sql.unsafe(`${limit}`);
    return sql<Rows[]>`
      SELECT string_agg(json, ${SEPARATOR} ORDER BY id) FILTER (WHERE place <= ${count}) AS text,
             max(id) FILTER (WHERE place <= ${count}) AS last,
             count(*) > ${count} AS "isMore"
      FROM (SELECT id, ${sql.unsafe(PET_JSON)} AS json, row_number() OVER (ORDER BY id) AS place
            FROM pets
            WHERE true
              ${after === undefined ? sql`` : sql`AND id > ${after}`}
              ${upTo === undefined ? sql`` : sql`AND id <= ${upTo}`}
              ${status === undefined ? sql`` : sql`AND status = ${status}`}
            ORDER BY id LIMIT ${count} + 1) AS page`;
  });
  if (!rows) throw new Error('an aggregate gave no row');
  return rows;
}
