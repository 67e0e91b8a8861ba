import type { EventEmitter } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Host } from '@petstore/service/postgres-address.ts';
import { Client, type ClientConfig, type QueryResult } from 'pg';
import type { Sql } from 'sql-template-tag';
import { ConnectionLostError, isConnectionLoss } from './errors.ts';
import { sleepInTurns } from './turns.ts';

/** How long the request to cancel a statement may take to arrive, in milliseconds. */
const CANCEL_TIMEOUT_MS = 1_000;

/** How long an orderly end of a connection may take, in milliseconds: a silent server never responds. */
const END_TIMEOUT_MS = 1_000;

/** PostgreSQL's number for a request to cancel, protocol 3.0, 55.7: two halves, 1234 and 5678. */
const CANCEL_REQUEST = 80_877_102;

/**
 * The place in the server's source of the warning that a COMMIT stopped waiting for the standbys, because it was
 * canceled or the server ends. The transaction counts as committed, but a failover may lose it. Warnings from other
 * places do not mean that.
 */
const UNCERTAIN_COMMIT = 'SyncRepWaitForLSN';

/** The texts of prepared statements, which identify them; they are few, and always the same. */
const names = new Map<string, string>();

/** One connection to a server; statements on it run one after the other. */
export class Connection {
  /** When it was opened, by performance.now(). */
  madeAt = Infinity;
  readonly #client: Client;
  readonly #host: Host;
  #lost: ConnectionLostError | undefined;
  #doubt: string | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #ending: Promise<void> | undefined;

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
   * Connects to one host. `mustBind`: only with a login that is bound to the TLS connection. Rejects with the error of
   * PostgreSQL, the system or TLS, or with ConnectionLostError. `signal` closes it at once, whether it is open or not
   * yet; its reason is then the error.
   */
  static async open(
    config: ClientConfig,
    host: Host,
    { mustBind, signal }: { readonly mustBind: boolean; readonly signal: AbortSignal },
  ): Promise<Connection> {
    signal.throwIfAborted();
    const client = new Client({ ...config, ...host });
    if (mustBind) requireChannelBinding(client);
    const connection = new Connection(client, host);
    signal.addEventListener('abort', () => connection.destroy(signal.reason));
    try {
      await client.connect();
      connection.madeAt = performance.now();
    } catch (error) {
      connection.destroy();
      throw signal.aborted ? signal.reason : explained(error);
    }
    return connection;
  }

  /** Whether it can no longer be used. */
  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** The host and port that it leads to. */
  get hostAndPort(): string {
    return `${this.#host.host}:${this.#host.port}`;
  }

  /** The id of the process that serves it, as the other end reports it. A pooler in between reports its own. */
  get processId(): number | null {
    return internalsOf(this.#client).processID;
  }

  /** Called with the payload of each notification. */
  set onNotification(heard: (payload: string) => void) {
    this.#client.on('notification', ({ payload = '' }) => heard(payload));
  }

  /** The rows of a statement: timestamptz becomes a Date, json its value, int8 as the session configures it. */
  async rows<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> {
    return (await this.#query(statement)).rows as Row[];
  }

  /** The first row. */
  async row<Row = Record<string, unknown>>(statement: Sql): Promise<Row | undefined> {
    return (await this.rows<Row>(statement))[0];
  }

  /** How many rows a statement has changed. */
  async execute(statement: Sql): Promise<number> {
    return (await this.#query(statement)).rowCount ?? 0;
  }

  /** Several statements without parameters; returns the rows of each. */
  async script(text: string): Promise<readonly QueryResult[]> {
    const results: unknown = await this.#send(() => this.#client.query(text));
    return (Array.isArray(results) ? results : [results]) as QueryResult[];
  }

  /** Sends a statement as it is, with numbered parameters, for callers that write their own SQL. */
  query(text: string, values: readonly unknown[]): Promise<QueryResult> {
    return this.#send(() => this.#client.query(text, [...values]));
  }

  /**
   * Asks the server, on another connection, to cancel the statements under way on this one. Resolves with whether the
   * request has arrived. The outcome goes to whoever waits for the statement.
   */
  async cancel(): Promise<boolean> {
    const { processID, secretKey } = internalsOf(this.#client);
    if (processID === null || secretKey === null) return false;
    const request = Buffer.alloc(16);
    for (const [at, word] of [16, CANCEL_REQUEST, processID, secretKey].entries()) {
      request.writeInt32BE(word | 0, at * 4);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connectSocket(this.#host);
    void sleepInTurns(CANCEL_TIMEOUT_MS).then(() => socket.destroy());
    socket.on('error', () => resolve(false));
    // No FIN: PgBouncer (1.18) crashes over one.
    socket.on('connect', () => socket.write(request));
    // The server closes the connection without a message when it has passed the request on.
    socket.on('end', () => resolve(true));
    socket.on('close', () => resolve(false));
    socket.resume();
    return promise;
  }

  /** Whether a statement has been sent and has not ended. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Accepts no more statements; resolves when the server is done with those under way. Never rejects. */
  async retire(): Promise<void> {
    this.#lost ??= new ConnectionLostError('CONNECTION_CLOSED', 'the connection was given up');
    await Promise.allSettled(this.#underWay);
  }

  /**
   * Closes it in order when the statements under way have ended, or at once after a second. Resolves when the server
   * has closed it, too, which it does when the session is gone. Never rejects.
   */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Closes it at once; those who wait for a statement on it get an error. */
  destroy(cause?: unknown): void {
    this.#lose(cause);
    internalsOf(this.#client).connection.stream.destroy();
  }

  async #end(): Promise<void> {
    void this.retire();
    const ended = this.#client.end().catch(() => {});
    await Promise.race([ended, sleep(END_TIMEOUT_MS, undefined, { ref: false })]);
    this.destroy();
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
    const sent = send().catch(async (error: unknown) => {
      await this.#ready();
      throw error;
    });
    this.#underWay.add(sent);
    try {
      const result = await sent;
      if (this.#doubt === undefined) return result;
    } catch (error) {
      if (isConnectionLoss(error)) this.#giveUp(error);
      // The driver has errors of its own for a connection that breaks meanwhile.
      throw this.#lost && !isConnectionLoss(error) ? this.#lost : error;
    } finally {
      this.#underWay.delete(sent);
    }
    const lost = new ConnectionLostError('COMMIT_UNCERTAIN', this.#doubt);
    this.#giveUp(lost);
    throw lost;
  }

  /**
   * Resolves when the server waits for a statement, or the connection has ended. The error of a statement comes before
   * the server has undone it: until then its locks are held, and its work alone on another connection would meet them.
   */
  #ready(): Promise<void> {
    const { readyForQuery, connection } = internalsOf(this.#client);
    if (readyForQuery || connection.stream.destroyed) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      connection.off('readyForQuery', end);
      this.#client.off('end', end);
      resolve();
    };
    connection.on('readyForQuery', end);
    this.#client.on('end', end);
    return promise;
  }

  #giveUp(cause: unknown): void {
    this.#lose(cause);
    void this.end();
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

/** The members of the driver's client that its types do not have. */
interface Internals {
  /** What the server sent for requests to cancel. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** Whether the server waits for a statement: it is not ready before it has undone one that failed. */
  readonly readyForQuery: boolean;
  readonly connection: EventEmitter & { readonly stream: Socket };
}

function internalsOf(client: Client): Internals {
  return client as unknown as Internals;
}

/** Some of the driver's own errors have no code. */
function explained(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (message === 'The server does not support SSL connections') {
    return new ConnectionLostError('NO_TLS', message, { cause: error });
  }
  if (code !== undefined) return error;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0];
  return new ConnectionLostError('CONNECTION_CLOSED', message, { cause: error });
}

/** The SASL mechanism that binds a login to the TLS connection: RFC 5802 and RFC 5929. */
const WITH_BINDING = 'SCRAM-SHA-256-PLUS';

/** The members used of the driver's own connection; its types do not have them. */
interface Wire extends EventEmitter {
  readonly stream: { destroy(): void };
}

/**
 * Makes a client that is not connected yet refuse every login without channel binding. An attacker in the middle, even
 * with a trusted certificate, can neither relay such a login nor avoid it. The driver prefers such a login but accepts
 * any, so this code reads the server's request before the driver does.
 */
function requireChannelBinding(client: Client): void {
  const { connection } = client as unknown as { connection: Wire };
  let isBound = false;
  const refuse = () => {
    const error = new ConnectionLostError(
      'NO_CHANNEL_BINDING',
      'the server does not bind the login to the secure connection, as channel_binding=require asks for',
    );
    // The driver's next message, which may have a password, is lost with the socket.
    connection.stream.destroy();
    connection.emit('error', error);
  };
  connection
    .on('authenticationCleartextPassword', refuse)
    .on('authenticationMD5Password', refuse)
    .on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
      if (!(connection.stream instanceof TLSSocket) || !mechanisms.includes(WITH_BINDING)) refuse();
    })
    // The server's proof that it knows the password, too, on the same connection. The driver verifies it.
    .on('authenticationSASLFinal', () => {
      isBound = true;
    })
    // A server that asks for no login proves nothing.
    .on('authenticationOk', () => {
      if (!isBound) refuse();
    });
}
