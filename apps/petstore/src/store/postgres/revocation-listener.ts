import type { Log } from '@petstore/service/log.ts';
import type { PostgresAddress } from '@petstore/service/postgres-address.ts';
import type { ActiveKeys } from './active-keys.ts';
import { connect, type Sql } from './client.ts';

/** Where it is told that a key was revoked or ends sooner, in the transaction that does it. */
export const REVOCATIONS = 'petstore_revocations';

/** How often the listener proves that its connection lives, in milliseconds. */
const BEAT_INTERVAL_MS = 150;

/** How long it waits for the proof before it makes another connection, in milliseconds. */
const BEAT_TIMEOUT_MS = 2_000;

/**
 * Hears of revocations by LISTEN on a connection of its own, and drops what is remembered of keys.
 *
 * A connection can be dead without anybody noticing. So it is asked all the time, and each answer
 * confirms what was heard until the question: the server tells notifications before it answers.
 * LISTEN itself is the question; a second one on the same connection changes nothing, and the first
 * on a new one is what is needed.
 */
export class RevocationListener {
  readonly #address: PostgresAddress;
  readonly #keys: ActiveKeys;
  readonly #log: Log | undefined;
  #sql: Sql;
  /** The server's process behind the connection; another one may have missed something. */
  #pid: number | undefined;
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(address: PostgresAddress, keys: ActiveKeys, log: Log | undefined) {
    this.#address = address;
    this.#keys = keys;
    this.#log = log;
    this.#sql = this.#connect();
  }

  /** Resolves after the first proof, or its failure. */
  async start(): Promise<void> {
    await this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sql.end({ timeout: 0 });
  }

  #connect(): Sql {
    // `onnotify` is what the driver's own `listen` is made of; its types do not name it.
    const options = { onnotify: () => this.#keys.drop(), idle_timeout: 0, max_lifetime: null };
    return connect(this.#address, 1, options as object);
  }

  async #beat(): Promise<void> {
    const askedAt = performance.now();
    try {
      const pid = await this.#listen();
      if (pid !== this.#pid) {
        this.#keys.drop();
        this.#pid = pid;
      }
      if (this.#isCut) this.#log?.info('the listener for revoked keys is back');
      this.#isCut = false;
      this.#keys.confirm(askedAt);
    } catch (error) {
      if (this.#isClosed) return;
      if (!this.#isCut) {
        this.#log?.warn({ err: error }, 'the listener for revoked keys is cut; keys are asked for');
      }
      this.#isCut = true;
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#beat(), BEAT_INTERVAL_MS).unref();
  }

  async #listen(): Promise<number> {
    const timer = setTimeout(() => {
      const silent = this.#sql;
      this.#sql = this.#connect();
      void silent.end({ timeout: 0 });
    }, BEAT_TIMEOUT_MS);
    try {
      const results = await this.#sql
        .unsafe(`LISTEN ${REVOCATIONS}; SELECT pg_backend_pid() AS pid`)
        .simple();
      return (results as unknown as { pid: number }[][])[1]?.[0]?.pid ?? 0;
    } finally {
      clearTimeout(timer);
    }
  }
}
