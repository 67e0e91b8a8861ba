import type { DatabaseSync } from 'node:sqlite';
import type { NotedEvents } from '../../events/event-group.ts';

/** Stores the events of a transaction as one row of the log of a store. Without any it does nothing. */
export function eventAppender(
  db: DatabaseSync,
): (store: string, noted: Pick<NotedEvents, 'count' | 'text'>) => void {
  const insert = db.prepare(
    `INSERT INTO event_groups (store, first_id, count, at, log_bytes, events)
     SELECT ?1, coalesce(first_id + last.count, 1), ?2, ?3,
            coalesce(log_bytes, 0) + octet_length(?4), ?4
     FROM (SELECT 1) LEFT JOIN (SELECT first_id, count, log_bytes FROM event_groups
                                WHERE store = ?1 ORDER BY first_id DESC LIMIT 1) AS last`,
  );
  return (store, { count, text }) => {
    if (count > 0) insert.run(store, count, Date.now(), text);
  };
}

export interface EventWrites {
  /** As sweep of EventLogs; `before` is in milliseconds since 1970. */
  sweepEvents(store: string, before: number, maxBytes: number, count: number): number;
}

export function prepareEventWrites(db: DatabaseSync): EventWrites {
  // Only from the oldest on without a gap, even where the clock was set back.
  const sweep = db.prepare(
    `DELETE FROM event_groups WHERE store = ?1 AND first_id <=
       (SELECT max(first_id) FROM
          (SELECT first_id, min(isOld) OVER (ORDER BY first_id) AS areOld FROM
             (SELECT oldest.first_id AS first_id,
                     oldest.first_id < newest.first_id
                     AND (oldest.at < ?2 OR oldest.log_bytes <= newest.log_bytes - ?3) AS isOld
              FROM event_groups AS oldest,
                (SELECT first_id, log_bytes FROM event_groups WHERE store = ?1
                 ORDER BY first_id DESC LIMIT 1) AS newest
              WHERE oldest.store = ?1 ORDER BY oldest.first_id LIMIT ?4))
        WHERE areOld)`,
  );
  return {
    sweepEvents: (store, before, maxBytes, count) =>
      Number(sweep.run(store, before, maxBytes, count).changes),
  };
}
