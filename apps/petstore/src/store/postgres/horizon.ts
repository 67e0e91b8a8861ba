import { INT64_MIN } from '../../int64.ts';
import type { PostgresClient } from './client.ts';

/** Where the inserts of a table are announced: migrations.ts. */
export interface InsertAnnouncements {
  readonly lockClass: number;
  readonly sequence: string;
}

/**
 * How far a list is settled: the greatest id up to which no insert is under way.
 *
 * An insert takes its id from the sequence before it commits, so a row may become visible after
 * another one with a greater id. A reader who was given a link past the first would never see it.
 * So no link leads past the horizon. The database knows it: each insert announces, by a shared
 * advisory lock for as long as its transaction runs, above which id its own will be (migrations.ts).
 * Writers never wait for each other or for readers.
 */
export class Horizon {
  readonly #client: PostgresClient;
  readonly #announcements: InsertAnnouncements;
  #settled = INT64_MIN;
  #asking: Promise<bigint> | undefined;

  constructor(client: PostgresClient, announcements: InsertAnnouncements) {
    this.#client = client;
    this.#announcements = announcements;
  }

  /** The horizon when it was last asked for. What is settled stays so. */
  get settled(): bigint {
    return this.#settled;
  }

  /** Asks the database. What is read after this resolved is whole up to the id. */
  ask(): Promise<bigint> {
    this.#asking ??= this.#read().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #read(): Promise<bigint> {
    const { lockClass, sequence } = this.#announcements;
    const [row] = await this.#client.run(
      (sql) =>
        sql<{ id: bigint }[]>`
          SELECT petstore_settled_id(${lockClass}::int, ${sequence}::text::regclass) AS id`,
    );
    if (row && row.id > this.#settled) this.#settled = row.id;
    return this.#settled;
  }
}
