import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { EventType } from '../../events/event.ts';
import type {
  Attempt,
  DeliveryState,
  Progress,
  RecentDelivery,
  StoredDelivery,
  StoredWebhook,
} from '../../webhooks/webhook.ts';
import { OWN_STORE } from '../own-store.ts';

// Webhooks are changed rarely and read by few, so one text of SQL does for both engines.

type Row = Readonly<Record<string, unknown>>;

/** How an engine runs statements. */
export interface SqlRunner {
  /** The rows of a statement that only reads. Integers come as bigint. */
  read(statement: Sql): Promise<Row[]>;
  /** The rows of each statement; all happen in one transaction. */
  write(statements: readonly Sql[]): Promise<Row[][]>;
  /** The time in milliseconds since 1970, by a clock that is the same for all processes of the database. */
  now(): Sql;
  /** Ends a SELECT whose rows nobody else may change until its transaction has ended. */
  readonly lock: Sql;
}

/** What a client may change of a webhook. */
export interface WebhookPatch {
  readonly url?: string | undefined;
  readonly events?: readonly EventType[] | undefined;
  /** A new secret, and until when the present one signs as well. */
  readonly rotation?: { readonly secret: string; readonly oldUntil: number } | undefined;
  /** null enables it: what waits is due, and then come the events after `position`, 0 for the oldest that is kept. */
  readonly disabled?: { readonly at: number; readonly reason: string } | null | undefined;
  readonly position?: bigint | undefined;
}

/** A webhook, and how long this process still holds its lease. */
export interface LeasedWebhook extends StoredWebhook {
  readonly leaseLeftMs: number;
}

/** Webhooks and their deliveries. A client reaches only those of the store that its key opens. */
export class WebhookStore {
  readonly #db: SqlRunner;

  constructor(db: SqlRunner) {
    this.#db = db;
  }

  /**
   * Adds a webhook. `too_many` where `most` are there already, or `mostOfStore` of its store; `gone` where its store is
   * that of a sandbox which is not there any more.
   */
  async add(
    { id, store, url, events, secret, createdAt, position }: StoredWebhook,
    { most, mostOfStore }: { most: number; mostOfStore: number },
  ): Promise<'added' | 'too_many' | 'gone'> {
    const sandbox = sql`SELECT 1 AS one FROM sandboxes WHERE id = ${store} AND key_hash IS NOT NULL`;
    const isOwn = store === OWN_STORE;
    const added = sql`
      INSERT INTO webhooks (id, store, url, events, secret, created_at, position)
      SELECT ${text(id)}, ${text(store)}, ${text(url)}, ${text(events.join(' '))},
             ${text(secret)}, ${integer(createdAt)}, ${integer(position)}
      WHERE (SELECT count(*) FROM webhooks) < ${integer(most)}
        AND (SELECT count(*) FROM webhooks WHERE store = ${store}) < ${integer(mostOfStore)}
        ${isOwn ? empty : sql`AND EXISTS (${sandbox})`}
      RETURNING id`;
    if (isOwn) {
      const [rows = []] = await this.#db.write([added]);
      return rows.length > 0 ? 'added' : 'too_many';
    }
    // Behind the lock: whoever deletes the sandbox does so before, or finds the webhook and deletes it as well.
    const [known = [], rows = []] = await this.#db.write([sql`${sandbox} ${this.#db.lock}`, added]);
    if (known.length === 0) return 'gone';
    return rows.length > 0 ? 'added' : 'too_many';
  }

  /** Those of a store, the oldest first. */
  async list(store: string): Promise<StoredWebhook[]> {
    const rows = await this.#db.read(
      sql`SELECT * FROM webhooks WHERE store = ${store} ORDER BY created_at, id`,
    );
    return rows.map(webhookOf);
  }

  async get(store: string, id: string): Promise<StoredWebhook | undefined> {
    const [row] = await this.#db.read(
      sql`SELECT * FROM webhooks WHERE store = ${store} AND id = ${id}`,
    );
    return row && webhookOf(row);
  }

  /** The webhook as it is then; undefined where there is none. */
  async update(
    store: string,
    id: string,
    { url, events, rotation, disabled, position }: WebhookPatch,
  ): Promise<StoredWebhook | undefined> {
    const changes = [
      ...(url === undefined ? [] : [sql`url = ${url}`]),
      ...(events === undefined ? [] : [sql`events = ${events.join(' ')}`]),
      ...(rotation
        ? [
            sql`old_secret = secret, old_secret_until = ${integer(rotation.oldUntil)},
                secret = ${rotation.secret}`,
          ]
        : []),
      ...(disabled
        ? [
            sql`disabled_at = ${integer(disabled.at)}, disabled_reason = ${disabled.reason}, owner = NULL`,
          ]
        : []),
      ...(disabled === null
        ? [sql`disabled_at = NULL, disabled_reason = NULL, ${HEALTHY}, owner = NULL`]
        : []),
      // Who delivers may then store nothing that it did by the former ones.
      ...(url !== undefined || events !== undefined || disabled === null
        ? [sql`asked = asked + 1`]
        : []),
      ...(position === undefined ? [] : [sql`position = ${integer(position)}`]),
    ];
    if (changes.length === 0) return this.get(store, id);
    const [rows = []] = await this.#db.write([
      sql`UPDATE webhooks SET ${join(changes)} WHERE store = ${store} AND id = ${id} RETURNING *`,
      ...(disabled === null ? [this.#makeDue(store, id)] : []),
    ]);
    return rows[0] && webhookOf(rows[0]);
  }

  /** What waits for a retry is due now, whichever process gets the webhook next. */
  #makeDue(store: string, id: string): Sql {
    const now = this.#db.now();
    return sql`UPDATE webhook_deliveries SET next_at = ${now}
      WHERE webhook_id = ${id} AND state = 'waiting' AND next_at > ${now}
        AND EXISTS (SELECT 1 FROM webhooks WHERE store = ${store} AND id = ${id})`;
  }

  /** Whether there was one. */
  async remove(store: string, id: string): Promise<boolean> {
    const [rows = []] = await this.#db.write([
      sql`DELETE FROM webhooks WHERE store = ${store} AND id = ${id} RETURNING id`,
      sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${id}
          AND NOT EXISTS (SELECT 1 FROM webhooks WHERE id = ${id})`,
    ]);
    return rows.length > 0;
  }

  /** Deliveries that did not succeed at once, the newest event first, of events before an id. */
  async deliveries(id: string, before: bigint, limit: number): Promise<StoredDelivery[]> {
    const rows = await this.#db.read(
      sql`SELECT * FROM webhook_deliveries
          WHERE webhook_id = ${id} AND event_id < ${integer(before)}
          ORDER BY event_id DESC LIMIT ${integer(limit)}`,
    );
    return rows.map(deliveryOf);
  }

  async delivery(id: string, eventId: bigint): Promise<StoredDelivery | undefined> {
    const [row] = await this.#db.read(
      sql`SELECT * FROM webhook_deliveries
          WHERE webhook_id = ${id} AND event_id = ${integer(eventId)}`,
    );
    return row && deliveryOf(row);
  }

  /** Has an event delivered once more, at once; false where `most` other deliveries of the webhook wait. */
  async redeliver(id: string, delivery: StoredDelivery, most: number): Promise<boolean> {
    const now = this.#db.now();
    const hasRoom = sql`(SELECT count(*) FROM webhook_deliveries
      WHERE webhook_id = ${id} AND state = 'waiting'
        AND event_id <> ${integer(delivery.eventId)}) < ${integer(most)}`;
    const [, rows = []] = await this.#db.write([
      this.#locked([id]),
      putDelivery(id, hasRoom, delivery),
      // A failing one is tried at once, whichever process gets it next.
      sql`UPDATE webhooks SET asked = asked + 1,
            next_at = CASE WHEN next_at > ${now} THEN ${now} ELSE next_at END
          WHERE id = ${id}`,
    ]);
    return rows.length > 0;
  }

  /** Whether any is enabled. */
  async isAny(): Promise<boolean> {
    const rows = await this.#db.read(
      sql`SELECT 1 AS one FROM webhooks WHERE disabled_at IS NULL LIMIT 1`,
    );
    return rows.length > 0;
  }

  /** How many there are, and how many of those are disabled, are failing. */
  async count(): Promise<{ all: number; disabled: number; failing: number }> {
    const [row] = await this.#db.read(
      sql`SELECT count(*) AS "all", count(disabled_at) AS disabled,
                 count(CASE WHEN disabled_at IS NULL THEN failing_since END) AS failing
          FROM webhooks`,
    );
    return {
      all: Number(row?.all),
      disabled: Number(row?.disabled),
      failing: Number(row?.failing),
    };
  }

  /**
   * Gives a process the leases that it holds, and up to `most` more that nobody holds now, for `leaseMs`. Each says how
   * long it lasts at the least. Call it again long before.
   */
  async acquireLeases(
    leaseHolder: string,
    { leaseMs, most }: { leaseMs: number; most: number },
  ): Promise<LeasedWebhook[]> {
    const now = this.#db.now();
    const until = sql`${now} + ${integer(leaseMs)}`;
    const free = sql`disabled_at IS NULL AND (owner IS NULL OR owned_until < ${now})`;
    const owned = sql`disabled_at IS NULL AND owner = ${leaseHolder}`;
    const soon = sql`${now} + ${integer(Math.floor(leaseMs * RENEW_BELOW))}`;
    const [due] = await this.#db.read(
      sql`SELECT 1 AS one FROM webhooks
          WHERE (${free}) OR (${owned} AND owned_until < ${soon}) LIMIT 1`,
    );
    // Without need there is no write: each waits for the disk.
    if (due) {
      await this.#db.write([
        sql`UPDATE webhooks SET owned_until = ${until} WHERE ${owned} AND owned_until >= ${now}`,
        sql`UPDATE webhooks SET owner = ${leaseHolder}, owned_until = ${until}
            WHERE ${free} AND id IN
              (SELECT id FROM webhooks WHERE ${free} ORDER BY id LIMIT ${integer(most)})`,
      ]);
    }
    const rows = await this.#db.read(
      sql`SELECT webhooks.*, owned_until - ${now} AS left_ms FROM webhooks
          WHERE ${owned} AND owned_until >= ${now}`,
    );
    return rows.map((row) => ({ ...webhookOf(row), leaseLeftMs: Number(row.left_ms) }));
  }

  /** Gives up all leases of a process. */
  async release(leaseHolder: string): Promise<void> {
    await this.#db.write([
      sql`UPDATE webhooks SET owner = NULL, owned_until = NULL WHERE owner = ${leaseHolder}`,
    ]);
  }

  /** The deliveries of a webhook that wait, the oldest event first. */
  async waiting(id: string): Promise<StoredDelivery[]> {
    const rows = await this.#db.read(
      sql`SELECT * FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'waiting'
          ORDER BY event_id`,
    );
    return rows.map(deliveryOf);
  }

  /**
   * Stores what a process did with those webhooks whose lease it still holds, and of which it has heard all that was
   * `asked`: it would overwrite the rest. The ids of those whose progress was stored; of the others nothing was.
   */
  async save(
    leaseHolder: string,
    progress: readonly Progress[],
    deliveries: readonly {
      readonly webhookId: string;
      readonly asked: bigint;
      readonly delivery: StoredDelivery;
    }[],
    keptDeliveries: number,
  ): Promise<Set<string>> {
    const touched = new Set(deliveries.map(({ webhookId }) => webhookId));
    const statements = [
      ...(touched.size > 0 ? [this.#locked([...touched])] : []),
      ...progress.map(saveProgress(leaseHolder)),
      ...deliveries.map(({ webhookId, asked, delivery }) =>
        putDelivery(webhookId, isLeased(webhookId, leaseHolder, asked), delivery),
      ),
      ...[...touched].map(
        (id) =>
          sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${id} AND state <> 'waiting'
              AND event_id < (SELECT event_id FROM webhook_deliveries
                WHERE webhook_id = ${id} AND state <> 'waiting'
                ORDER BY event_id DESC LIMIT 1 OFFSET ${integer(keptDeliveries - 1)})`,
      ),
    ];
    if (statements.length === 0) return new Set();
    const results = await this.#db.write(statements);
    const first = touched.size > 0 ? 1 : 0;
    const saved = results.slice(first, first + progress.length).flat();
    return new Set(saved.map(({ id }) => String(id)));
  }

  /**
   * In front of what adds deliveries: whoever deletes one of these webhooks does so before, or deletes the deliveries as
   * well. Otherwise some would stay for ever.
   */
  #locked(ids: readonly string[]): Sql {
    return sql`SELECT id FROM webhooks WHERE id IN (${join(ids)}) ORDER BY id ${this.#db.lock}`;
  }
}

/** A lease is renewed when less than this share of it is left. */
const RENEW_BELOW = 0.75;

const HEALTHY = raw('failures = 0, failing_since = NULL, next_at = NULL, last_error = NULL');

function saveProgress(leaseHolder: string) {
  return (progress: Progress): Sql => sql`
    UPDATE webhooks SET
      position = ${integer(progress.position)}, failures = ${integer(progress.failures)},
      failing_since = ${integer(progress.failingSince)}, next_at = ${integer(progress.nextAt)},
      last_error = ${progress.lastError}, recent = ${JSON.stringify(progress.recent)},
      disabled_at = ${integer(progress.disabledAt)}, disabled_reason = ${progress.disabledReason}
    WHERE id = ${progress.id} AND owner = ${leaseHolder} AND asked = ${integer(progress.asked)}
    RETURNING id`;
}

/** Whether a process holds a webhook's lease, and has heard of all that was asked for. */
function isLeased(id: string, leaseHolder: string, asked: bigint): Sql {
  return sql`EXISTS (SELECT 1 FROM webhooks
    WHERE id = ${id} AND owner = ${leaseHolder} AND asked = ${integer(asked)})`;
}

/** `where`: only if it holds. Returns a row where it did. */
function putDelivery(
  id: string,
  where: Sql,
  { eventId, animal, event, state, attempts, nextAt }: StoredDelivery,
): Sql {
  return sql`
    INSERT INTO webhook_deliveries (webhook_id, event_id, animal, event, state, attempts, next_at)
    SELECT ${text(id)}, ${integer(eventId)}, ${text(animal)}, ${text(event)}, ${text(state)},
           ${text(JSON.stringify(attempts))}, ${integer(nextAt)}
    WHERE EXISTS (SELECT 1 FROM webhooks WHERE id = ${id}) AND ${where}
    ON CONFLICT (webhook_id, event_id) DO UPDATE
    SET state = excluded.state, attempts = excluded.attempts, next_at = excluded.next_at
    RETURNING event_id`;
}

/** A parameter whose type the server cannot tell from its place. */
function text(value: string): Sql {
  return sql`CAST(${value} AS text)`;
}

function integer(value: number | bigint | null): Sql {
  return sql`CAST(${value === null ? null : BigInt(value)} AS bigint)`;
}

function webhookOf(row: Row): StoredWebhook {
  const events = String(row.events);
  return {
    id: String(row.id),
    store: String(row.store),
    url: String(row.url),
    events: events === '' ? [] : (events.split(' ') as EventType[]),
    secret: String(row.secret),
    oldSecret: textOrNull(row.old_secret),
    oldSecretUntil: numberOrNull(row.old_secret_until),
    createdAt: Number(row.created_at),
    disabledAt: numberOrNull(row.disabled_at),
    disabledReason: textOrNull(row.disabled_reason),
    position: row.position as bigint,
    failures: Number(row.failures),
    failingSince: numberOrNull(row.failing_since),
    nextAt: numberOrNull(row.next_at),
    lastError: textOrNull(row.last_error),
    recent: JSON.parse(String(row.recent)) as RecentDelivery[],
    asked: row.asked as bigint,
  };
}

function deliveryOf(row: Row): StoredDelivery {
  return {
    eventId: row.event_id as bigint,
    animal: String(row.animal),
    event: String(row.event),
    state: row.state as DeliveryState,
    attempts: JSON.parse(String(row.attempts)) as Attempt[],
    nextAt: numberOrNull(row.next_at),
  };
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value);
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}
