interface Migration {
  /** What it does, for whoever decides when: verbs and their objects. */
  readonly does: string;
  readonly script: string;
}

/**
 * The schema's history. Each entry takes the database from the version before it (its index) to the
 * next; one that has shipped is never changed.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    does: 'makes the tables of animals and keys',
    script: `
  -- AUTOINCREMENT: an id is never given twice, not even after its animal left.
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    category_id INTEGER NOT NULL,
    -- Not IN: SQLite would build a table of the three words at every insert.
    status TEXT NOT NULL
      CHECK (status = 'available' OR status = 'pending' OR status = 'sold')
  ) STRICT;

  -- Every index ends in the rowid, so this one also gives the order within a status.
  CREATE INDEX pets_by_status ON pets (status);

  -- hash is the SHA-256 of a key. Times are milliseconds since 1970.
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  `,
  },
  {
    does: 'makes the tables of categories and orders',
    script: `
  -- name_key is what two names have in common that count as the same: see category-rules.ts.
  CREATE TABLE categories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    name_key TEXT NOT NULL UNIQUE
  ) STRICT;

  -- An order outlives its animal, so pet_id references nothing. Times are RFC 3339 in UTC with
  -- milliseconds, as they are shown.
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('placed', 'completed', 'cancelled')),
    placed_at TEXT NOT NULL CHECK (length(placed_at) = 24),
    updated_at TEXT NOT NULL CHECK (length(updated_at) = 24)
  ) STRICT;

  CREATE INDEX orders_by_status ON orders (status);

  -- No animal has two open orders.
  CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id) WHERE status = 'placed';
  `,
  },
  {
    does: 'gives keys scopes and an end, and makes the tables of the audit and of idempotent results',
    script: `
  -- Words with spaces between them. Keys that were there may do what they could.
  ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL
    DEFAULT 'pets:read pets:write orders:read orders:write';
  ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
  -- Written lazily, so it may be behind.
  ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
  -- The id of its successor.
  ALTER TABLE api_keys ADD COLUMN replaced_by TEXT;

  -- Who did what to which key, and other deeds of those who run the service. detail is JSON.
  CREATE TABLE audit_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;

  -- The first answer to each Idempotency-Key of an API key. fingerprint is the SHA-256 of what was
  -- asked; answer is JSON. What came later has the greater place.
  CREATE TABLE idempotent_answers (
    place INTEGER PRIMARY KEY,
    api_key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    answer TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (api_key_id, idempotency_key)
  ) STRICT;

  CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at);
  CREATE INDEX idempotent_answers_by_owner ON idempotent_answers (api_key_id, place);
  `,
  },
  {
    does: 'makes the log of events',
    script: `
  -- What happened to animals and orders, one row for each commit. store is '' for the service's own animals, else the
  -- id of a sandbox. The ids of a store's events have no gaps: they are first_id and the count - 1 that follow. events
  -- has a line for each event: see events/event-group.ts. log_bytes is the size of all events of the
  -- store so far, these included. The newest row of a store is never deleted: it says which id comes next.
  CREATE TABLE event_groups (
    store TEXT NOT NULL,
    first_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    at INTEGER NOT NULL,
    log_bytes INTEGER NOT NULL,
    events TEXT NOT NULL,
    PRIMARY KEY (store, first_id)
  ) STRICT;
  `,
  },
  {
    does: 'makes the tables of sandboxes',
    script: `
  -- Small stores of their own, each with a key and an end. state is a compressed text of all that is in one, NULL while
  -- it is as its seed made it. key_hash is NULL once a sandbox has ended: such a row only says who made one and when,
  -- until it no longer counts. See store/sandbox/.
  CREATE TABLE sandboxes (
    id TEXT PRIMARY KEY,
    key_hash BLOB UNIQUE CHECK (length(key_hash) = 32),
    name TEXT NOT NULL,
    made_by TEXT NOT NULL,
    seed INTEGER NOT NULL,
    pets INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    state BLOB
  ) STRICT;

  CREATE INDEX sandboxes_by_maker ON sandboxes (made_by, created_at);
  CREATE INDEX sandboxes_by_end ON sandboxes (expires_at) WHERE key_hash IS NOT NULL;
  CREATE INDEX sandboxes_ended ON sandboxes (created_at) WHERE key_hash IS NULL;

  CREATE TABLE sandbox_snapshots (
    sandbox TEXT NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state BLOB,
    PRIMARY KEY (sandbox, name)
  ) STRICT;
  `,
  },
  {
    does: 'makes the tables of webhooks',
    script: `
  -- Who is sent events. events has their types with spaces between them, or nothing for all. Each event up to position
  -- was delivered, or has a row of its own in webhook_deliveries. A failing webhook is tried again at next_at. owner is
  -- the process that delivers, until owned_until. recent is JSON: the last deliveries that succeeded at once. asked
  -- grows when somebody asks for a delivery. Times are
  -- milliseconds since 1970.
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    store TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    old_secret TEXT,
    old_secret_until INTEGER,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    disabled_reason TEXT,
    position INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    next_at INTEGER,
    last_error TEXT,
    recent TEXT NOT NULL DEFAULT '[]',
    owner TEXT,
    owned_until INTEGER,
    asked INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE INDEX webhooks_by_store ON webhooks (store, created_at);

  -- Deliveries that did not succeed at once, and those that wait for one of the same animal. attempts is JSON.
  CREATE TABLE webhook_deliveries (
    webhook_id TEXT NOT NULL,
    event_id INTEGER NOT NULL,
    animal TEXT NOT NULL,
    event TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts TEXT NOT NULL,
    next_at INTEGER,
    PRIMARY KEY (webhook_id, event_id)
  ) STRICT;
  `,
  },
  {
    does: 'keeps the faults of sandboxes',
    script: `
  -- Rules by which requests of a sandbox fail, as JSON; NULL for none.
  ALTER TABLE sandboxes ADD COLUMN faults TEXT;

  -- How many requests of a sandbox there were: with a Petstore-Fault, and for each of its rules.
  CREATE TABLE sandbox_fault_counts (
    sandbox TEXT NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    counter TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (sandbox, counter)
  ) STRICT;
  `,
  },
  {
    does: 'makes the tables of reports on clients',
    script: `
  -- What clients asked for with the key of a sandbox, and the challenge that it is at: JSON. See report/.
  CREATE TABLE sandbox_requests (
    sandbox TEXT NOT NULL REFERENCES sandboxes ON DELETE CASCADE,
    number INTEGER NOT NULL,
    request TEXT NOT NULL,
    PRIMARY KEY (sandbox, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sandbox_challenges (
    sandbox TEXT PRIMARY KEY REFERENCES sandboxes ON DELETE CASCADE,
    run TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  },
  {
    does: 'counts commits that concern nobody else',
    script: `
  -- How many commits changed nothing that processes keep in memory of the service's own data: see changes.ts. One row.
  CREATE TABLE quiet_commits (number INTEGER NOT NULL) STRICT;

  INSERT INTO quiet_commits (number) VALUES (0);
  `,
  },
  {
    does: 'bounds the requests of a sandbox by their size',
    script: `
  -- What all requests of the sandbox so far take, this one included: see report/record-bounds.ts.
  ALTER TABLE sandbox_requests ADD COLUMN log_bytes INTEGER NOT NULL DEFAULT 0;
  `,
  },
];
