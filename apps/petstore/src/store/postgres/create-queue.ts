import type { PetFields } from '../../pets/pet.ts';
import type { Metrics } from '../../telemetry/instruments.ts';
import { type Store, StoreUnavailableError, writeQueueFull } from '../store.ts';
import type { WriteHealth } from '../write-health.ts';
import { writeMetrics } from '../write-metrics.ts';
import type { PostgresClient, Sql, Transaction } from './client.ts';
import { isConnectionLoss, isIdTaken } from './errors.ts';

/** Animals in one statement at most, so that no one waits for a very long one. */
const MAX_GROUP = 256;

/** Statements under way at a time. While they are, the next group gathers. */
const MAX_UNDER_WAY = 3;

/** How often an insert is tried again because somebody put in an animal with its id by hand. */
const MAX_TAKEN = 10;

interface Pending {
  readonly pet: PetFields;
  readonly resolve: (id: bigint) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts animals in groups: all that arrived in one turn of the event loop, or while the last groups
 * were under way, share a statement and its commit.
 */
export class CreateQueue implements Readonly<Store['writeQueue']> {
  /** Animals that may wait. Beyond it they are refused at once. */
  readonly capacity: number;
  readonly #client: PostgresClient;
  readonly #health: WriteHealth;
  readonly #onCommit: (writes: number, seconds: number) => void;
  #queue: Pending[] = [];
  #underWay = 0;
  #petsUnderWay = 0;
  #isFlushPlanned = false;

  constructor(client: PostgresClient, capacity: number, health: WriteHealth, metrics: Metrics) {
    this.#client = client;
    this.capacity = capacity;
    this.#health = health;
    this.#onCommit = writeMetrics(metrics, () => this.length + this.#petsUnderWay);
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Resolves with the new id when the animal is stored. */
  create(pet: PetFields): Promise<bigint> {
    if (this.length >= this.capacity) return Promise.reject(writeQueueFull());
    return new Promise((resolve, reject) => {
      this.#queue.push({ pet, resolve, reject });
      this.#planFlush();
    });
  }

  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#underWay < MAX_UNDER_WAY) {
      const group = this.#queue.splice(0, MAX_GROUP);
      this.#underWay++;
      this.#petsUnderWay += group.length;
      void this.#store(group).then(() => {
        this.#underWay--;
        this.#petsUnderWay -= group.length;
        this.#flush();
      });
    }
  }

  /** Never rejects: whoever asked is told. */
  async #store(group: readonly Pending[]): Promise<void> {
    const startedAt = performance.now();
    try {
      const ids = await this.#insert(group.map(({ pet }) => pet));
      this.#health.succeeded();
      this.#onCommit(group.length, (performance.now() - startedAt) / 1_000);
      for (const [at, { resolve }] of group.entries()) resolve(ids[at] as bigint);
    } catch (error) {
      // A connection that broke is seen by whoever asks next.
      if (error instanceof StoreUnavailableError && !isConnectionLoss(error.cause)) {
        this.#health.failed(error);
      }
      if (group.length === 1 || error instanceof StoreUnavailableError) {
        for (const { reject } of group) reject(error);
      } else {
        // One row was refused and with it the statement: each for itself, its neighbours succeed.
        await Promise.all(group.map((pending) => this.#store([pending])));
      }
    }
  }

  #insert(pets: readonly PetFields[]): Promise<bigint[]> {
    return retryOnTakenId(() => this.#client.run((sql) => insertPets(sql, pets)));
  }
}

/** Tries an insert again with the next ids, as long as somebody has put in animals with them by hand. */
export async function retryOnTakenId<T>(insert: () => Promise<T>): Promise<T> {
  for (let taken = 0; taken < MAX_TAKEN; taken++) {
    try {
      return await insert();
    } catch (error) {
      if (!isIdTaken(error)) throw error;
    }
  }
  return insert();
}

/** Inserts animals under new ids; gives the ids in the order of the animals. */
export async function insertPets(
  sql: Sql | Transaction,
  pets: readonly PetFields[],
): Promise<bigint[]> {
  const rows = await sql<{ id: bigint }[]>`
    INSERT INTO pets (name, category_id, status)
    SELECT name, category_id, status
    FROM ROWS FROM (json_to_recordset(${rowsJson(pets)}::text::json)
                    AS (name text, category_id bigint, status text))
         WITH ORDINALITY AS pet (name, category_id, status, place)
    ORDER BY place
    RETURNING id`;
  // Ids are taken in the order of the rows; the order of RETURNING is promised nowhere.
  return rows.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
}

/** Rows as one parameter, with every digit. */
export function rowsJson(pets: readonly (PetFields & { id?: bigint | undefined })[]): string {
  const rows = pets.map(
    ({ id, name, categoryId, status }) =>
      `{${id === undefined ? '' : `"id":${id},`}"name":${JSON.stringify(name)},"category_id":${categoryId},"status":"${status}"}`,
  );
  return `[${rows.join(',')}]`;
}
