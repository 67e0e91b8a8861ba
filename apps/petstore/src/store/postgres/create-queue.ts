import type { Connection } from '@petstore/postgres/connection.ts';
import { isConnectionLoss } from '@petstore/postgres/errors.ts';
import type { Metrics } from '@petstore/service/metrics/instruments.ts';
import sql, { raw, type Sql } from 'sql-template-tag';
import type { IdempotencyKeysUnderWay } from '../../idempotency/idempotency-keys-under-way.ts';
import {
  decodeResult,
  encodeResult,
  idempotencyConflict,
  idempotencyMismatch,
} from '../../idempotency/result.ts';
import type { PetFields } from '../../pets/pet.ts';
import { petJson } from '../../pets/pet-rules.ts';
import type { Refusal } from '../../refusal.ts';
import type { Idempotency, IdempotentResult } from '../contract/idempotency.ts';
import type { Written } from '../contract/written.ts';
import type { Store } from '../store.ts';
import { StoreUnavailableError, writeQueueFull } from '../store-errors.ts';
import { type WriteHealth, writeMetrics } from '../write-health.ts';
import type { PostgresClient } from './client.ts';
import { isIdTaken } from './errors.ts';
import { lockId } from './idempotency.ts';
import { PET_JSON } from './pet-json.ts';

/** The most animals in one statement, so that no request waits for a very long one. */
const MAX_GROUP = 256;

/** How often an insert is tried again because somebody put in an animal with its id by hand. */
const MAX_TAKEN = 10;

/** The result of a create. */
type Result = Written | IdempotentResult | Refusal;

interface Pending {
  readonly pet: PetFields;
  /** For a create that is to happen once. */
  readonly idempotency?: Idempotency;
  readonly resolve: (outcome: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts animals in groups, one group at a time, since the database serializes inserts. All creates that arrive in one
 * turn of the event loop, or while the last group is under way, share a statement and its commit.
 */
export class CreateQueue implements Readonly<Store['writeQueue']> {
  /** Animals that may wait. Further creates are refused at once. */
  readonly capacity: number;
  readonly #client: PostgresClient;
  readonly #health: WriteHealth;
  readonly #keysUnderWay: IdempotencyKeysUnderWay;
  readonly #onCommit: (writes: number, seconds: number) => void;
  #queue: Pending[] = [];
  #petsUnderWay = 0;
  #isFlushPlanned = false;

  constructor(
    client: PostgresClient,
    capacity: number,
    {
      health,
      metrics,
      keysUnderWay,
    }: { health: WriteHealth; metrics: Metrics; keysUnderWay: IdempotencyKeysUnderWay },
  ) {
    this.#client = client;
    this.capacity = capacity;
    this.#health = health;
    this.#keysUnderWay = keysUnderWay;
    this.#onCommit = writeMetrics(metrics, () => this.length + this.#petsUnderWay);
  }

  get length(): number {
    return this.#queue.length;
  }

  /** Resolves when the animal is stored. */
  create(pet: PetFields): Promise<Written> {
    return this.#add({ pet }) as Promise<Written>;
  }

  /** The same, once for an Idempotency-Key. */
  createIdempotently(
    idempotency: Idempotency,
    pet: PetFields,
  ): Promise<IdempotentResult | Refusal> {
    const add = () => this.#add({ pet, idempotency }) as Promise<IdempotentResult | Refusal>;
    return this.#keysUnderWay.alone(idempotency, add);
  }

  #add(what: Pick<Pending, 'pet' | 'idempotency'>): Promise<Result> {
    if (this.length >= this.capacity) return Promise.reject(writeQueueFull());
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#queue.push({ ...what, resolve, reject });
    this.#planFlush();
    return promise;
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
    if (this.#petsUnderWay > 0 || this.#queue.length === 0) return;
    const group = this.#queue.splice(0, MAX_GROUP);
    this.#petsUnderWay = group.length;
    void this.#store(group).then((tell) => {
      this.#petsUnderWay = 0;
      this.#flush();
      // Once the next group is on its way: the database need not wait until all responses are written.
      process.nextTick(tell);
    });
  }

  /** Never rejects. Resolves when the group is done, with a function that tells each caller its result. */
  async #store(group: readonly Pending[]): Promise<() => void> {
    const startedAt = performance.now();
    this.#health.began();
    try {
      const outcomes = await retryOnTakenId(() => this.#insert(group));
      this.#health.succeeded();
      this.#onCommit(group.length, (performance.now() - startedAt) / 1_000);
      return () => {
        for (const [at, { resolve }] of group.entries()) resolve(outcomes[at] as Written);
      };
    } catch (error) {
      // A broken connection is noticed by the next caller, and a refused row says nothing about the database.
      const isDatabases = error instanceof StoreUnavailableError && !isConnectionLoss(error.cause);
      if (isDatabases) this.#health.failed(error);
      else this.#health.ended();
      if (error instanceof StoreUnavailableError && error.kind === 'timeout') {
        // Creates that arrived meanwhile have waited as long, and would wait as long again.
        for (const { reject } of this.#queue.splice(0)) reject(error);
      }
      if (group.length === 1 || error instanceof StoreUnavailableError) {
        return () => {
          for (const { reject } of group) reject(error);
        };
      }
      // One row was refused, and the statement with it. Each row is tried alone, so that the others succeed.
      const tells = await Promise.all(group.map((pending) => this.#store([pending])));
      return () => {
        for (const tell of tells) tell();
      };
    }
  }

  /** The result of each, in their order. */
  #insert(group: readonly Pending[]): Promise<readonly Result[]> {
    const pets = group.map(({ pet }) => pet);
    const isPlain = group.every(({ idempotency }) => idempotency === undefined);
    return this.#client.run<readonly Result[]>((db) =>
      isPlain ? createPets(db, pets) : insertOnce(db, group),
    );
  }
}

/** The result of one row of a group: see petstore_create_pets (create-pets-function.ts). */
interface Outcome {
  readonly made: bigint | null;
  readonly kept: string | null;
  readonly isSame: boolean | null;
}

/** Inserts animals, those with a key once, and keeps the results of these. */
async function insertOnce(db: Connection, group: readonly Pending[]): Promise<readonly Result[]> {
  const column = <T>(of: (pending: Pending) => T) => group.map(of);
  const keyed = <T>(of: (idempotency: Idempotency, pet: PetFields) => T) =>
    column(({ idempotency, pet }) => (idempotency ? of(idempotency, pet) : null));
  const columns = {
    names: column(({ pet }) => pet.name),
    categories: column(({ pet }) => `${pet.categoryId}`),
    statuses: column(({ pet }) => pet.status),
    locks: keyed((idempotency) => `${lockId(idempotency)}`),
    owners: keyed(({ owner }) => owner),
    keys: keyed(({ key }) => key),
    fingerprints: keyed(({ fingerprint }) => fingerprint),
    since: keyed(({ since }) => since),
    at: keyed(({ at }) => at),
    answers: keyed(({ collectionUrl }, pet) => resultFormat(pet, collectionUrl)),
  };
  const outcomes = await db.rows<Outcome>(sql`
    SELECT made, kept, is_same AS "isSame"
    FROM petstore_create_pets(${JSON.stringify(columns)}::text::json)`);
  return group.map(({ pet, idempotency }, at) => {
    const { made, kept, isSame } = outcomes[at] as Outcome;
    if (made !== null) {
      const written = { id: made, json: petJson(made, pet) };
      return idempotency ? { ...written, collectionUrl: idempotency.collectionUrl } : written;
    }
    if (kept === null) return idempotencyConflict();
    return isSame ? decodeResult(kept) : idempotencyMismatch();
  });
}

/** The result of a create as a template for SQL's format(), before there is an id. */
function resultFormat(pet: PetFields, collectionUrl: string): string {
  const literal = (text: string) => text.replaceAll('%', '%%');
  const id = '%1$s';
  const json = petJson(id, { ...pet, name: literal(pet.name) });
  return encodeResult({ id, json }, literal(collectionUrl));
}

/** Tries an insert again with the next ids, as long as somebody has put in animals with them by hand. */
async function retryOnTakenId<T>(insert: () => Promise<T>): Promise<T> {
  for (let taken = 0; taken < MAX_TAKEN; taken++) {
    try {
      return await insert();
    } catch (error) {
      if (!isIdTaken(error)) throw error;
    }
  }
  return insert();
}

/** Inserts animals under new ids and tells nobody. Returns them in the order of the input. */
export async function insertPets(
  db: Connection,
  pets: readonly PetFields[],
): Promise<readonly Written[]> {
  if (pets.length === 0) return [];
  return withIds(pets, await db.rows<{ id: bigint }>(insertion(pets)));
}

/** The same, with an event for each. */
async function createPets(db: Connection, pets: readonly PetFields[]): Promise<readonly Written[]> {
  const rows = await db.rows<{ id: bigint }>(sql`
    WITH inserted AS (${insertion(pets)}),
    told AS (
      INSERT INTO event_inbox (count, events)
      SELECT count(*), string_agg('pet.created ' || ${raw(PET_JSON)}, chr(10) ORDER BY id)
      FROM inserted)
    SELECT id FROM inserted`);
  return withIds(pets, rows);
}

function insertion(pets: readonly PetFields[]): Sql {
  return sql`
    INSERT INTO pets (name, category_id, status)
    SELECT name, category_id, status
    FROM ROWS FROM (json_to_recordset(${rowsJson(pets)}::text::json)
                    AS (name text, category_id bigint, status text))
         WITH ORDINALITY AS pet (name, category_id, status, place)
    ORDER BY place
    RETURNING id, name, category_id, status`;
}

function withIds(
  pets: readonly PetFields[],
  rows: readonly { readonly id: bigint }[],
): readonly Written[] {
  // Ids are taken in the order of the rows; the order of RETURNING is promised nowhere.
  const ids = rows.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
  return pets.map((pet, at) => {
    const id = ids[at] as bigint;
    return { id, json: petJson(id, pet) };
  });
}

/** Rows as one parameter, with every digit. */
export function rowsJson(pets: readonly (PetFields & { id?: bigint | undefined })[]): string {
  const rows = pets.map(
    ({ id, name, categoryId, status }) =>
      `{${id === undefined ? '' : `"id":${id},`}"name":${JSON.stringify(name)},"category_id":${categoryId},"status":"${status}"}`,
  );
  return `[${rows.join(',')}]`;
}
