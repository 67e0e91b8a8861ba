import type { Connection } from '@petstore/postgres/connection.ts';
import sql, { type Sql } from 'sql-template-tag';
import type { EventType, StoredEvent } from '../../events/event.ts';
import { eventsOf, NotedEvents } from '../../events/event-group.ts';
import { INT64_MAX } from '../../int64.ts';
import type { EventLogs, KeptEvents } from '../contract/event-logs.ts';
import { OWN_STORE } from '../own-store.ts';
import type { Clients } from './client.ts';
import { EventNumbering } from './event-numbering.ts';

/**
 * The statement that records events of the service's own store, in the transaction that changes the data. It waits for
 * no other transaction: the events get their ids later (event-numbering.ts). Run it after the statement that changes or
 * locks the animal, so that the events of an animal stay in order.
 */
export function insertEvents(
  ...events: readonly (readonly [type: EventType, data: string])[]
): Sql {
  const noted = new NotedEvents();
  for (const [type, data] of events) noted.note(type, data);
  return sql`INSERT INTO event_inbox (count, events) VALUES (${noted.count}, ${noted.text})`;
}

/**
 * Tells events of a sandbox in its log, with ids at once. Until the commit others wait, as they do for the sandbox's row.
 */
export async function appendEvents(
  db: Connection,
  store: string,
  { count, text }: Pick<NotedEvents, 'count' | 'text'>,
): Promise<void> {
  if (count === 0) return;
  await db.execute(sql`
    WITH log AS (
      INSERT INTO event_logs (store, last_id, bytes) VALUES (${store}, ${count}, ${Buffer.byteLength(text)})
      ON CONFLICT (store) DO UPDATE SET last_id = event_logs.last_id + excluded.last_id,
                                        bytes = event_logs.bytes + excluded.bytes
      RETURNING last_id, bytes)
    INSERT INTO event_groups (store, first_id, count, at, log_bytes, events)
    SELECT ${store}, last_id - ${count}::int + 1, ${count}, clock_timestamp(), bytes, ${text} FROM log`);
}

interface GroupRow {
  readonly firstId: bigint;
  readonly at: Date;
  readonly events: string;
}

/** Reads from the primary: a standby may be behind, and may be ahead of what stays. */
export function postgresEventLogs(clients: Clients): EventLogs {
  const { reads, writes } = clients;
  const numbering = new EventNumbering(clients);
  /** What was committed to a log before the call belongs to it. */
  const number = async (store: string) => {
    if (store === OWN_STORE) await numbering.next();
  };
  const keptIn = async (store: string): Promise<KeptEvents> => {
    const kept = await reads.row<KeptEvents>(sql`
      SELECT coalesce((SELECT min(first_id) FROM event_groups WHERE store = ${store}), 1) AS oldest,
             coalesce((SELECT last_id FROM event_logs WHERE store = ${store}), 0) AS newest`);
    if (!kept) throw new Error('a row of constants is missing');
    return kept;
  };
  const read = async (store: string, after: bigint, limit: number): Promise<StoredEvent[]> => {
    // No id is larger than a column can hold.
    if (after > INT64_MAX - BigInt(limit)) return [];
    const [from, to] = [after + 1n, after + BigInt(limit)];
    // From the group that has the next event to the one that has the last of the wanted ones.
    const rows = await reads.run((db) =>
      db.rows<GroupRow>(sql`
        SELECT first_id AS "firstId", at, events FROM event_groups
        WHERE store = ${store} AND first_id <= ${to}
          AND first_id >= (SELECT max(first_id) FROM event_groups
                           WHERE store = ${store} AND first_id <= ${from})
        ORDER BY first_id`),
    );
    const events: StoredEvent[] = [];
    for (const { firstId, at, events: text } of rows) {
      const group = { firstId, at: at.getTime(), events: text };
      events.push(...eventsOf(group, after, limit - events.length));
    }
    return events;
  };
  return {
    of: (store) => ({
      async list(after, limit) {
        // First: what another process numbers in between is then found, too.
        await number(store);
        const events = await read(store, after, limit);
        if (events.length > 0) return events;
        const kept = await keptIn(store);
        // Events that came in between are for the next call.
        if (after >= kept.oldest - 1n && after <= kept.newest) return [];
        return after === 0n ? read(store, kept.oldest - 1n, limit) : kept;
      },
      async kept() {
        await number(store);
        return keptIn(store);
      },
    }),
    async sweep(store, bounds, count) {
      await number(store);
      return writes.run((db) => sweepEvents(db, store, bounds, count));
    },
  };
}

/** As sweep of EventLogs, in a transaction if one is given. */
export function sweepEvents(
  db: Connection,
  store: string,
  { before, maxBytes }: Parameters<EventLogs['sweep']>[1],
  count: number,
): Promise<number> {
  // Only from the oldest on without a gap, even where the clock was set back.
  return db.execute(sql`
    DELETE FROM event_groups WHERE store = ${store} AND first_id <=
      (SELECT max(first_id) FROM
        (SELECT first_id, bool_and(is_old) OVER (ORDER BY first_id) AS are_old FROM
          (SELECT first_id,
                  first_id + count - 1 < last_id
                  AND (at < ${before} OR log_bytes <= bytes - ${maxBytes}::bigint) AS is_old
           FROM event_groups JOIN event_logs USING (store)
           WHERE store = ${store} ORDER BY first_id LIMIT ${count}) AS oldest) AS marked
       WHERE are_old)`);
}
