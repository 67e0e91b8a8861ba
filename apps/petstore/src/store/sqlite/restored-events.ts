import { DatabaseSync } from 'node:sqlite';
import { tablesOf } from '@petstore/service/sqlite/check-database.ts';
import { animalOf, eventJson, type StoredEvent } from '../../events/event.ts';
import { eventsOf, type StoredGroup } from '../../events/event-group.ts';

/** Of a webhook that is further behind, events are lost: so many deliveries may wait. */
const MAX_PENDING = 500;

/** No group has as many events. */
const ALL = 1_000_000;

/**
 * Makes the logs of a restored database go on with ids that no event has had, in this history or in any that a restore
 * has undone: behind the number of microseconds since 1970, which no store reaches by counting events. Followers and
 * receivers tell events apart by their ids, so one that is given again would pass for another.
 *
 * Ids have no gaps within what is kept, so each log begins anew, with a group without events. Its followers are told that
 * events are no longer kept, and read the animals anew. What webhooks had not got yet is sent from webhook_deliveries,
 * with the ids that it had.
 *
 * `path`: a copy that is thrown away when this fails. A database without events and webhooks stays as it is.
 */
export function settleEvents(path: string, now: number): void {
  const db = new DatabaseSync(path);
  try {
    // One from before there were webhooks has none who remembers an id.
    if (!tablesOf(db).has('webhooks')) return;
    const stores = db
      .prepare('SELECT store FROM event_groups UNION SELECT store FROM webhooks')
      .all()
      .map(({ store }) => String(store));
    if (stores.length === 0) return;
    // The copy needs no journal, whose size would be that of the log.
    db.exec('PRAGMA journal_mode = OFF; BEGIN');
    const settle = logSettler(db, now);
    for (const store of stores) settle(store);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

function logSettler(db: DatabaseSync, now: number): (store: string) => void {
  const selectNewest = db.prepare(
    `SELECT coalesce(max(first_id + count - 1), 0) AS id FROM event_groups
     WHERE store = ?1 AND first_id = (SELECT max(first_id) FROM event_groups WHERE store = ?1)`,
  );
  selectNewest.setReadBigInts(true);
  const selectWebhooks = db.prepare('SELECT id, events, position FROM webhooks WHERE store = ?');
  selectWebhooks.setReadBigInts(true);
  const selectGroups = db.prepare(
    `SELECT first_id AS firstId, at, events FROM event_groups
     WHERE store = ?1 AND first_id >=
       coalesce((SELECT max(first_id) FROM event_groups WHERE store = ?1 AND first_id <= ?2), 0)
     ORDER BY first_id`,
  );
  selectGroups.setReadBigInts(true);
  const hold = db.prepare(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, animal, event, state, attempts)
     VALUES (?, ?, ?, ?, 'waiting', '[]') ON CONFLICT DO NOTHING`,
  );
  // The process that had the lease is another one now.
  const move = db.prepare(
    'UPDATE webhooks SET position = ?, owner = NULL, owned_until = NULL WHERE id = ?',
  );
  const drop = db.prepare('DELETE FROM event_groups WHERE store = ?');
  const begin = db.prepare(
    `INSERT INTO event_groups (store, first_id, count, at, log_bytes, events)
     VALUES (?, ?, 1, ?, 0, '')`,
  );

  /** The events behind a position that are of some types, or of any; undefined where they are too many, or not kept. */
  const pending = (store: string, position: bigint, types: string): StoredEvent[] | undefined => {
    const wanted = types.split(' ');
    const found: StoredEvent[] = [];
    let next = position + 1n;
    for (const row of selectGroups.iterate(store, next)) {
      const group = { ...row, at: Number(row.at) } as StoredGroup;
      if (group.firstId > next) return undefined;
      for (const event of eventsOf(group, next - 1n, ALL)) {
        next = event.id + 1n;
        if (types === '' || wanted.includes(event.type)) found.push(event);
      }
      if (found.length > MAX_PENDING) return undefined;
    }
    return found;
  };
  return (store) => {
    const newest = selectNewest.get(store)?.id as bigint;
    const micros = BigInt(now) * 1_000n;
    const last = newest > micros ? newest : micros;
    for (const { id, events, position } of selectWebhooks.all(store)) {
      const missing = pending(store, position as bigint, String(events));
      // The service disables it, and says which events are lost to it.
      if (!missing) continue;
      for (const event of missing) {
        hold.run(String(id), event.id, animalOf(event), eventJson(event));
      }
      move.run(last, String(id));
    }
    drop.run(store);
    begin.run(store, last, now);
  };
}
