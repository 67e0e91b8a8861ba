import type {
  Host,
  PostgresAddress,
  SslMode,
  TargetSession,
} from '@petstore/service/postgres-address.ts';
import { type ClientConfig, types } from 'pg';
import sql from 'sql-template-tag';
import { Connection } from './connection.ts';
import { ConnectionLostError, codeOf, connectTimeout } from './errors.ts';
import { afterTurns } from './turns.ts';

/** How long a connection may take to be opened and usable: some round trips, and a process on the server. */
const CONNECT_TIMEOUT_MS = 3_000;

/** The same where there are other hosts to try. */
const CONNECT_TIMEOUT_OF_SEVERAL_MS = 1_500;

/** How long a connection is quiet before the system probes the other end. */
const KEEP_ALIVE_MS = 1_000;

/** The settings of a program's sessions. */
export interface Session {
  /** Its name for the server's administrators. */
  readonly name: string;
  /** How long the server may work on one statement, or wait for the next one of a transaction; 0 for ever. */
  readonly timeoutMs: number;
  /** More run-time settings by name. The address's own take precedence over all. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How to read an int8: BigInt keeps every digit, Number is for values far below 2^53. */
  readonly int8: (text: string) => bigint | number;
}

interface State {
  /** The process that really serves the session. */
  readonly processId: number;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** The server of an address: the host among its hosts that fits at present. */
export class PostgresServer {
  readonly address: PostgresAddress;
  readonly #session: Session;
  /** The host of the last connection; it is tried first. */
  #last = 0;
  /** Hosts whose last connection fitted. */
  readonly #fitting = new Set<Host>();
  /** Connections by which hosts show whether they fit. */
  readonly #asking = new Map<Host, Promise<Connection>>();
  /** Whether the server has no TLS, which is allowed, as it has said. */
  #isPlain = false;

  constructor(address: PostgresAddress, session: Session) {
    this.address = address;
    this.#session = session;
  }

  /**
   * Opens a connection to the first host that fits the address. Rejects with the error of the last host: PostgreSQL's,
   * the system's, or ConnectionLostError.
   */
  async connect(): Promise<Connection> {
    const { hosts } = this.address;
    let failure: unknown;
    for (let tries = 0; tries < hosts.length; tries++) {
      const at = (this.#last + tries) % hosts.length;
      try {
        const connection = await this.#connectIfFit(hosts[at] as Host);
        this.#last = at;
        return connection;
      } catch (error) {
        failure = error;
      }
    }
    // The next attempt begins with another host, so that a host that is gone for good does not delay all of them.
    this.#last = (this.#last + 1) % hosts.length;
    throw failure;
  }

  /**
   * Of several hosts, one that did not fit the last time, or was never asked, is asked by one connection at a time, and
   * all who want it share the outcome: a primary whose standbys are away is not flooded by those who look for them.
   */
  async #connectIfFit(host: Host): Promise<Connection> {
    if (this.address.hosts.length > 1 && !this.#fitting.has(host)) {
      const asking = this.#asking.get(host);
      if (!asking) return this.#ask(host);
      await asking;
    }
    try {
      return await this.#connectTo(host);
    } catch (error) {
      this.#fitting.delete(host);
      throw error;
    }
  }

  async #ask(host: Host): Promise<Connection> {
    const asking = this.#connectTo(host);
    this.#asking.set(host, asking);
    try {
      const connection = await asking;
      this.#fitting.add(host);
      return connection;
    } finally {
      this.#asking.delete(host);
    }
  }

  async #connectTo(host: Host): Promise<Connection> {
    const limitMs =
      this.address.hosts.length > 1 ? CONNECT_TIMEOUT_OF_SEVERAL_MS : CONNECT_TIMEOUT_MS;
    const limit = new AbortController();
    const stopClock = afterTurns(limitMs, () => limit.abort(connectTimeout()));
    try {
      return await this.#openIfFit(host, limit.signal);
    } finally {
      stopClock();
    }
  }

  async #openIfFit(host: Host, signal: AbortSignal): Promise<Connection> {
    const connection = await this.#open(host, signal);
    try {
      // Without a name, once for each connection: a transaction pooler, which is refused later, would mix up names.
      const { text, values } = sql`
        SELECT pg_backend_pid() AS "processId", pg_is_in_recovery() AS "isStandby",
               current_setting('transaction_read_only') = 'on' AS "isReadOnly",
               (SELECT count(set_config(key, value, false)) FROM json_each_text(${this.#settings()}))`;
      const { rows } = await connection.query(text, values);
      const [state] = rows as State[];
      if (state && fits(state, this.address.target)) return connection;
      // A pooler would give the same session to the next client, for as long as it lives.
      if (state && state.processId !== connection.processId) await endSession(connection);
      await connection.end();
      throw new ConnectionLostError(
        'NO_FIT_SERVER',
        `no server of ${this.address.server} is ${this.address.target} now`,
      );
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async #open(host: Host, signal: AbortSignal): Promise<Connection> {
    const { user, password, database, sslMode, channelBinding, settings } = this.address;
    const config: ClientConfig = {
      user,
      database,
      ...(password !== undefined && { password }),
      ...(settings.options !== undefined && { options: settings.options }),
      enableChannelBinding: channelBinding !== 'disable',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      types: {
        getTypeParser: (id, format) =>
          id === types.builtins.INT8 ? this.#session.int8 : types.getTypeParser(id, format),
      },
      ...{ pipeline: true },
    };
    const options = { mustBind: channelBinding === 'require', signal };
    const open = (ssl: ClientConfig['ssl']) => Connection.open({ ...config, ssl }, host, options);
    try {
      return await open(this.#isPlain ? false : tls(sslMode));
    } catch (error) {
      if (sslMode !== 'prefer' || codeOf(error) !== 'NO_TLS') throw error;
      this.#isPlain = true;
      return open(false);
    }
  }

  /** Not in the first packet of a connection: poolers refuse parameters there that they do not know. */
  #settings(): string {
    const { options, ...own } = this.address.settings;
    const { name, timeoutMs, settings } = this.#session;
    return JSON.stringify({
      application_name: name,
      // Each statement sees all that was committed before it, whatever the server's default: pages miss nothing, and what
      // waited for a lock reads what the other one wrote.
      default_transaction_isolation: 'read committed',
      statement_timeout: `${timeoutMs}`,
      // A transaction whose process stands still, or whose machine is gone, must not hold its locks for ever.
      idle_in_transaction_session_timeout: `${timeoutMs}`,
      ...settings,
      ...own,
    });
  }
}

/** Has the server end a session. Never rejects. */
async function endSession(connection: Connection): Promise<void> {
  await connection.query('SELECT pg_terminate_backend(pg_backend_pid())', []).catch(() => {});
}

/** The modes of libpq, with two differences: `verify-ca` also checks the name, and `allow` requires TLS. */
function tls(mode: SslMode): NonNullable<ClientConfig['ssl']> {
  if (mode === 'disable') return false;
  return mode.startsWith('verify-') ? true : { rejectUnauthorized: false };
}

function fits({ isStandby, isReadOnly }: State, target: TargetSession): boolean {
  switch (target) {
    case 'any':
      return true;
    case 'read-write':
      return !isStandby && !isReadOnly;
    case 'read-only':
      return isStandby || isReadOnly;
    case 'primary':
      return !isStandby;
    case 'standby':
      return isStandby;
  }
}
