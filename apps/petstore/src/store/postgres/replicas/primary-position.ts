import sql from 'sql-template-tag';
import { CoalescedCall } from '../../../coalesced-call.ts';
import type { Clients } from '../client.ts';

/** The least time between two attempts to mark a timeline, in milliseconds. */
const MARK_INTERVAL_MS = 1_000;

/** Where the primary is in its history. Positions in the WAL are bytes from its beginning. */
export interface PrimaryState {
  /** Which history: a random number that the first process on the server's timeline wrote into the database. */
  readonly timelineMark: string;
  /** The WAL before here has every write that was acknowledged before the primary was asked. */
  readonly flushLsn: bigint;
  /** Every transaction with a lower id had ended when the primary was asked, and is visible if it was committed. */
  readonly xmin: bigint;
}

/** Asks the primary where it is: once for all callers that arrived before, one statement at a time. */
export class PrimaryPosition {
  readonly #clients: Clients;
  readonly #asking = new CoalescedCall(() => this.#ask());
  #markedAt = Number.NEGATIVE_INFINITY;

  constructor(clients: Clients) {
    this.#clients = clients;
  }

  /**
   * Where the primary is, asked after this call. Undefined while it is a standby, or on a timeline without a mark.
   * Rejects with StoreUnavailableError.
   */
  next(): Promise<PrimaryState | undefined> {
    return this.#asking.next();
  }

  async #ask(): Promise<PrimaryState | undefined> {
    // Acknowledged writes are flushed, unless commits are configured to wait for nothing. The position of inserts would
    // not do: a standby may never reach it, since it counts page headers, and WAL that no commit follows may stay
    // unsent.
    const row = await this.#clients.reads.row<PrimaryState & { isMarked: boolean }>(sql`
      SELECT mark AS "timelineMark", timeline = ${TIMELINE} AS "isMarked",
             (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
              ELSE pg_current_wal_flush_lsn() END - '0/0'::pg_lsn)::bigint AS "flushLsn",
             pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xmin
      FROM petstore_history WHERE NOT pg_is_in_recovery()`);
    if (row && !row.isMarked) this.#mark();
    return row?.isMarked ? row : undefined;
  }

  /**
   * A promoted server has left the WAL of the former primary. The mark tells standbys apart that still follow that WAL.
   */
  #mark(): void {
    if (performance.now() < this.#markedAt + MARK_INTERVAL_MS) return;
    this.#markedAt = performance.now();
    this.#clients.writes
      .run((db) =>
        db.execute(sql`
          UPDATE petstore_history SET timeline = ${TIMELINE}, mark = gen_random_uuid()
          WHERE timeline <> ${TIMELINE}`),
      )
      // The next caller tries again.
      .catch(() => {});
  }
}

/** The timeline that a primary writes: the first eight digits of a log file's name. */
const TIMELINE = sql`('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int`;
