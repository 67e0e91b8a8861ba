import type { EventEmitter } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Host } from '@petstore/service/postgres-address.ts';
import { Client, type ClientConfig, type QueryResult } from 'pg';
import type { Sql } from 'sql-template-tag';
import { ConnectionLostError, connectTimeout, isConnectionLoss } from './errors.ts';

/** How long the request to cancel a statement may take to get there, in milliseconds. */
const CANCEL_TIMEOUT_MS = 1_000;

/** How long the goodbye to a server may take, in milliseconds: one that is silent never answers it. */
const END_TIMEOUT_MS = 1_000;

/** PostgreSQL's number for a request to cancel, protocol 3.0, 55.7: two halves, 1234 and 5678. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Where the server warns of a COMMIT that somebody's cancel, or its own end, made stop waiting for the standbys: it
 * calls it committed, and a failover may lose it. Warnings of other origin say nothing of that.
 */
const UNCERTAIN_COMMIT = 'SyncRepWaitForLSN';

/** Texts of statements by which the server knows them; few and the same all the time. */
const names = new Map<string, string>();

/** One connection to a server; statements on it run one after the other. */
export class Connection {
  /** When it came about, by performance.now(). */
  madeAt = Infinity;
  readonly #client: Client;
  readonly #host: Host;
  #lost: ConnectionLostError | undefined;
  #doubt: string | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(client: Client, host: Host) {
    this.#client = client;
    this.#host = host;
    client.on('error', (cause) => this.#lose(cause));
    client.on('end', () => this.#lose());
    client.on('notice', ({ routine, message }) => {
      if (routine === UNCERTAIN_COMMIT) this.#doubt = message;
    });
  }

  /**
   * Connects to one host. `mustBind`: only with a login that is bound to the TLS connection. Rejects with what
   * PostgreSQL, the system or TLS says, or with ConnectionLostError.
   */
  static async open(config: ClientConfig, host: Host, mustBind = false): Promise<Connection> {
    const client = new Client({ ...config, ...host });
    if (mustBind) requireChannelBinding(client);
    const connection = new Connection(client, host);
    try {
      await client.connect();
      connection.madeAt = performance.now();
    } catch (error) {
      connection.destroy();
      throw explained(error);
    }
    return connection;
  }

  /** Whether it is of no more use. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The host and port that it was made to. */
  get place(): string {
    return `${this.#host.host}:${this.#host.port}`;
  }

  /** The number of the process that serves it, as the other end tells: a pooler's own, where there is one between. */
  get processId(): number | null {
    return keysOf(this.#client).processID;
  }

  /** Called with the payload of each notification that is listened for. */
  set onNotification(heard: (payload: string) => void) {
    this.#client.on('notification', ({ payload = '' }) => heard(payload));
  }

  /** The rows that a statement gives: timestamptz is a Date, json what it says, int8 as the session has it. */
  async rows<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return (await this.#query(statement)).rows as Row[];
  }

  /** The first of them. */
  async row<Row = Record<string, unknown>>(statement: Sql): Promise<Row | undefined> {
    return (await this.rows<Row>(statement))[0];
  }

  /** How many rows a statement has changed. */
  async execute(statement: Sql): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0;
  }

  /** Several statements without parameters; what each of them gave. */
  async script(text: string): Promise<readonly QueryResult[]> {
    const results: unknown = await this.#send(() => this.#client.query(text));
    return (Array.isArray(results) ? results : [results]) as QueryResult[];
  }

  /** Sends a statement as it is, with parameters by number; for what writes its own SQL. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult> {
    return this.#send(() => this.#client.query(text, [...values]));
  }

  /**
   * Asks the server, on a connection of its own, to give up what is under way on this one; resolves with whether the
   * request has arrived. What it came to is told to whoever waits for the statement.
   */
  async cancel(): Promise<boolean> {
    const { processID, secretKey } = keysOf(this.#client);
    if (processID === null || secretKey === null) return false;
    const request = Buffer.alloc(16);
    for (const [at, word] of [16, CANCEL_REQUEST, processID, secretKey].entries()) {
      request.writeInt32BE(word | 0, at * 4);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connectSocket(this.#host);
    socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => resolve(false));
    // Not with a FIN: PgBouncer (1.18) ends itself over one.
    socket.on('connect', () => socket.write(request));
    // The server closes without a word when it has passed the request on.
    socket.on('end', () => resolve(true));
    socket.on('close', () => resolve(false));
    socket.resume();
    return promise;
  }

  /** Whether a statement has been sent and has not ended. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Takes no more statements; resolves when those under way have ended. Never rejects. */
  async retire(): Promise<void> {
    this.#lost ??= new ConnectionLostError('CONNECTION_CLOSED', 'the connection was given up');
    await Promise.allSettled(this.#underWay);
  }

  /** Lets it go in order, when what is under way has ended, or at once after a second. Never rejects. */
  async end(): Promise<void> {
    void this.retire();
    const ended = this.#client.end().catch(() => {});
    await Promise.race([ended, sleep(END_TIMEOUT_MS, undefined, { ref: false })]);
    this.destroy();
  }

  /** Lets it go at once; who waits for a statement on it is told. */
  destroy(cause?: unknown): void {
    this.#lose(cause);
    const { stream } = (this.#client as unknown as { connection: { stream: { destroy(): void } } })
      .connection;
    stream.destroy();
  }

  #query(statement: Sql): Promise<QueryResult> {
    const { text, values } = statement;
    let name = names.get(text);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(text, name);
    }
    return this.#send(() => this.#client.query({ name, text, values }));
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    if (this.#lost) throw this.#lost;
    this.#doubt = undefined;
    const sent = send();
    this.#underWay.add(sent);
    try {
      const result = await sent;
      if (this.#doubt === undefined) return result;
    } catch (error) {
      if (isConnectionLoss(error)) this.destroy(error);
      // The driver has words of its own for a connection that breaks meanwhile.
      throw this.#lost && !isConnectionLoss(error) ? this.#lost : error;
    } finally {
      this.#underWay.delete(sent);
    }
    const lost = new ConnectionLostError('COMMIT_UNCERTAIN', this.#doubt);
    this.destroy(lost);
    throw lost;
  }

  #lose(cause?: unknown): void {
    this.#lost ??=
      cause instanceof ConnectionLostError
        ? cause
        : new ConnectionLostError(
            'CONNECTION_CLOSED',
            'the connection to PostgreSQL was lost',
            cause === undefined ? undefined : { cause },
          );
  }
}

/** What the server gave it to be named by; the driver's types do not name it. */
function keysOf(client: Client) {
  return client as unknown as { processID: number | null; secretKey: number | null };
}

/** The driver gives some of its own errors no code. */
function explained(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (message === 'The server does not support SSL connections') {
    return new ConnectionLostError('NO_TLS', message, { cause: error });
  }
  if (code !== undefined) return error;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  return message === 'timeout expired'
    ? connectTimeout(error)
    : new ConnectionLostError('CONNECTION_CLOSED', message, { cause: error });
}

/** The SASL mechanism that binds a login to the TLS connection: RFC 5802 and RFC 5929. */
const WITH_BINDING = 'SCRAM-SHA-256-PLUS';

/** What of the driver's own connection is used; its types do not name it. */
interface Wire extends EventEmitter {
  readonly stream: { destroy(): void };
}

/**
 * Makes a client, which is not connected yet, refuse every login but one with channel binding: one in the middle, who
 * has a certificate that is believed, can neither pass it on nor do without it. The driver prefers such a login and
 * takes any other; so this hears before it what the server asks for.
 */
function requireChannelBinding(client: Client): void {
  const { connection } = client as unknown as { connection: Wire };
  let isBound = false;
  const refuse = () => {
    const error = new ConnectionLostError(
      'NO_CHANNEL_BINDING',
      'the server does not bind the login to the secure connection, as channel_binding=require asks for',
    );
    // What the driver would send now, a password among it, is lost with the socket.
    connection.stream.destroy();
    connection.emit('error', error);
  };
  connection
    .on('authenticationCleartextPassword', refuse)
    .on('authenticationMD5Password', refuse)
    .on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
      if (!(connection.stream instanceof TLSSocket) || !mechanisms.includes(WITH_BINDING)) refuse();
    })
    // The server's proof that it knows the password, too, and of the same connection; the driver checks it.
    .on('authenticationSASLFinal', () => {
      isBound = true;
    })
    // A server that asks for nothing proves nothing.
    .on('authenticationOk', () => {
      if (!isBound) refuse();
    });
}
