import sql from 'sql-template-tag';
import type { Clients } from '../client.ts';

/** How long after one try to mark a timeline the next one may begin, in milliseconds. */
const MARK_INTERVAL_MS = 1_000;

/** Where the primary is in its history. Positions in the log are bytes from its beginning. */
export interface Position {
  /** Which history: a random number that the first who saw the server's timeline wrote into the database. */
  readonly mark: string;
  /** Every write that was acknowledged before the primary was asked is in the log before here. */
  readonly acknowledged: bigint;
  /** Every transaction with a lower id had ended, and could be seen if it was committed, when the primary was asked. */
  readonly visible: bigint;
}

/**
 * Asks the primary where it is: once for all who want to know by the time that it is asked, one statement at a time.
 */
export class PrimaryPosition {
  readonly #clients: Clients;
  #waiting: PromiseWithResolvers<Position | undefined> | undefined;
  #isAsking = false;
  #markedAt = Number.NEGATIVE_INFINITY;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /**
   * Where the primary is, asked after this call; undefined while it is a standby, or on a timeline without a mark.
   * Rejects with StoreUnavailableError.
   */
  next(): Promise<Position | undefined> {
    if (!this.#waiting) {
      this.#waiting = Promise.withResolvers();
      // Behind all requests that arrived together.
      if (!this.#isAsking) setImmediate(() => this.#tell());
    }
    return this.#waiting.promise;
  }

  async #tell(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#isAsking = true;
    await this.#ask().then(waiting?.resolve, waiting?.reject);
    this.#isAsking = false;
    if (this.#waiting) void this.#tell();
  }

  async #ask(): Promise<Position | undefined> {
    // What was acknowledged is flushed, but where commits are told to wait for nothing. The position of inserts is
    // not always one that a standby gets to: what no commit follows may stay unsent, and it counts page headers.
    const row = await this.#clients.reads.row<Position & { isMarked: boolean }>(sql`
      SELECT mark, timeline = ${TIMELINE} AS "isMarked",
             (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
              ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::bigint AS acknowledged,
             pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS visible
      FROM petstore_history WHERE NOT pg_is_in_recovery()`);
    if (row && !row.isMarked) this.#mark();
    return row?.isMarked ? row : undefined;
  }

  /** A server that was promoted has left the log of the former primary; standbys that go on with that are told apart. */
  #mark(): void {
    if (performance.now() < this.#markedAt + MARK_INTERVAL_MS) return;
    this.#markedAt = performance.now();
    this.#clients.writes
      .run((db) =>
        db.execute(sql`
          UPDATE petstore_history SET timeline = ${TIMELINE}, mark = gen_random_uuid()
          WHERE timeline <> ${TIMELINE}`),
      )
      // Whoever asks next tries again.
      .catch(() => {});
  }
}

/** The timeline that a primary writes: the first eight digits of a log file's name. */
const TIMELINE = sql`('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int`;
