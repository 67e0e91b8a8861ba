import type { Connection } from '@petstore/postgres/connection.ts';
import { codeOf } from '@petstore/postgres/errors.ts';
import type { PostgresServer } from '@petstore/postgres/server.ts';
import type { Log } from '@petstore/service/log.ts';
import type { ActiveKeys } from './active-keys.ts';

/** The channel on which a transaction announces that it revoked a key, or made it end sooner. */
export const REVOCATIONS = 'petstore_revocations';

/** How often the listener proves that its connection lives, in milliseconds. */
const BEAT_INTERVAL_MS = 150;

/** How long it waits for that proof before it opens another connection, in milliseconds. */
const BEAT_TIMEOUT_MS = 2_000;

interface Deps {
  readonly log: Log | undefined;
  /**
   * Called when connections are of no more use: the server responds neither here nor to a new connection, or is on
   * another host. Connections that were opened meanwhile, or lead to that host, are still good.
   */
  readonly onSilence: (isSilent: (connection: Connection) => boolean) => void;
}

/**
 * Hears of revocations by LISTEN on a connection of its own, and then drops the remembered keys.
 *
 * A connection can be dead without anybody noticing. So LISTEN is sent again and again. Each response proves that every
 * revocation from before that statement has been heard of: the server sends notifications before the response. A
 * repeated LISTEN changes nothing, and on a new connection it is needed anyway.
 */
export class RevocationListener {
  readonly #server: PostgresServer;
  readonly #keys: ActiveKeys;
  readonly #deps: Deps;
  /** Opened anew for the next proof when it is lost, since notifications may have been missed. */
  #connection: Connection | undefined;
  #isCut = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(server: PostgresServer, keys: ActiveKeys, deps: Deps) {
    this.#server = server;
    this.#keys = keys;
    this.#deps = deps;
  }

  /** Resolves after the first proof, or its failure. */
  async start(): Promise<void> {
    await this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.destroy();
  }

  async #beat(): Promise<void> {
    const { log, onSilence } = this.#deps;
    const startedAt = performance.now();
    try {
      if (!this.#connection || this.#connection.isLost) await this.#connect();
      else await this.#listen();
      if (this.#isCut) log?.info('the listener for revoked keys is back');
      this.#isCut = false;
      this.#keys.confirm(startedAt);
    } catch (error) {
      this.#connection?.destroy();
      if (this.#isClosed) return;
      if (codeOf(error) === 'CONNECT_TIMEOUT') onSilence(({ madeAt }) => madeAt < startedAt);
      if (!this.#isCut) {
        log?.warn(
          { err: error },
          'the connection that listens for revoked keys was lost; each key is looked up in the database',
        );
      }
      this.#isCut = true;
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#beat(), BEAT_INTERVAL_MS).unref();
  }

  async #connect(): Promise<void> {
    const connection = await this.#server.connect();
    if (this.#isClosed) connection.destroy();
    // Connections to another host are of no use: they get no response, or show old data.
    this.#deps.onSilence(({ hostAndPort }) => hostAndPort !== connection.hostAndPort);
    connection.onNotification = () => this.#keys.drop();
    this.#connection = connection;
    await this.#listen();
    // Revocations may have been announced while nobody listened.
    this.#keys.drop();
  }

  async #listen(): Promise<void> {
    const connection = this.#connection;
    const timer = setTimeout(() => connection?.destroy(), BEAT_TIMEOUT_MS);
    try {
      await connection?.script(`LISTEN ${REVOCATIONS}`);
    } finally {
      clearTimeout(timer);
    }
  }
}
