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
  /** Made anew for the next proof when it is lost. */
  #sql: Sql | undefined;
  /** The server's process behind the connection; another one may have missed something. */
  #pid: number | undefined;
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(address: PostgresAddress, keys: ActiveKeys, log: Log | undefined) {
    this.#address = address;
    this.#keys = keys;
    this.#log = log;
  }

  /** Resolves after the first proof, or its failure. */
  async start(): Promise<void> {
    await this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sql?.end({ timeout: 0 });
  }

  #connect(): Sql {
    // `onnotify` is what the driver's own `listen` is made of; its types do not name it.
    const options = { onnotify: () => this.#keys.drop(), idle_timeout: 0 };
    const sql = connect(this.#address, () => this.#forget(sql), options as object);
    return sql;
  }

  #forget(sql: Sql): void {
    if (this.#sql === sql) this.#sql = undefined;
    void sql.end({ timeout: 0 });
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
    this.#sql ??= this.#connect();
    const sql = this.#sql;
    const timer = setTimeout(() => this.#forget(sql), BEAT_TIMEOUT_MS);
    try {
      const results = await sql
        .unsafe(`LISTEN ${REVOCATIONS}; SELECT pg_backend_pid() AS pid`)
        .simple();
      return (results as unknown as { pid: number }[][])[1]?.[0]?.pid ?? 0;
    } catch (error) {
      this.#forget(sql);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
