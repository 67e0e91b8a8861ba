import type { DatabaseSync } from 'node:sqlite';
import type { StoredEvent } from '../../events/event.ts';
import { eventsOf } from '../../events/event-group.ts';
import { INT64_MAX } from '../../int64.ts';
import type { EventLogs, KeptEvents } from '../contract/event-logs.ts';
import type { Write } from './command.ts';
import { translateErrors } from './errors.ts';

interface GroupRow {
  readonly firstId: bigint;
  readonly at: bigint;
  readonly events: string;
}

/** Reads the logs on the connection that reads, and has old events deleted by the one that writes. */
export function sqliteEventLogs(db: DatabaseSync, write: Write): EventLogs {
  const selectKept = db.prepare(
    `SELECT coalesce((SELECT min(first_id) FROM event_groups WHERE store = ?1), 1) AS oldest,
            coalesce((SELECT first_id + count - 1 FROM event_groups WHERE store = ?1
                      ORDER BY first_id DESC LIMIT 1), 0) AS newest`,
  );
  selectKept.setReadBigInts(true);
  // From the group that has the next event to the one that has the last of the wanted ones.
  const selectGroups = db.prepare(
    `SELECT first_id AS firstId, at, events FROM event_groups
     WHERE store = ?1 AND first_id <= ?3
       AND first_id >= (SELECT max(first_id) FROM event_groups WHERE store = ?1 AND first_id <= ?2)
     ORDER BY first_id`,
  );
  selectGroups.setReadBigInts(true);
  const isAnyToSweep = db.prepare(
    `SELECT 1 FROM event_groups AS oldest,
       (SELECT first_id, log_bytes FROM event_groups WHERE store = ?1
        ORDER BY first_id DESC LIMIT 1) AS newest
     WHERE oldest.store = ?1
       AND oldest.first_id = (SELECT min(first_id) FROM event_groups WHERE store = ?1)
       AND oldest.first_id < newest.first_id
       AND (oldest.at < ?2 OR oldest.log_bytes <= newest.log_bytes - ?3)`,
  );
  const keptIn = (store: string) => ({ ...selectKept.get(store) }) as unknown as KeptEvents;
  const read = (store: string, after: bigint, limit: number): StoredEvent[] => {
    const events: StoredEvent[] = [];
    // No id is larger than a column can hold.
    if (after > INT64_MAX - BigInt(limit)) return events;
    const rows = selectGroups.all(store, after + 1n, after + BigInt(limit));
    for (const { firstId, at, events: text } of rows as unknown as GroupRow[]) {
      const group = { firstId, at: Number(at), events: text };
      events.push(...eventsOf(group, after, limit - events.length));
    }
    return events;
  };
  return {
    of: (store) => ({
      list: (after, limit) =>
        translateErrors(() => {
          const events = read(store, after, limit);
          if (events.length > 0) return events;
          const kept = keptIn(store);
          // Events that came in between are for the next call.
          if (after >= kept.oldest - 1n && after <= kept.newest) return [];
          return after === 0n ? read(store, kept.oldest - 1n, limit) : kept;
        }),
      kept: () => translateErrors(() => keptIn(store)),
    }),
    async sweep(store, { before, maxBytes }, count) {
      const bounds = [store, before.getTime(), maxBytes] as const;
      // A commit empties the page caches of all processes, so nothing is written where there is nothing to delete.
      const isAny = translateErrors(() => isAnyToSweep.get(...bounds));
      return isAny ? write('sweepEvents', ...bounds, count) : 0;
    },
  };
}
