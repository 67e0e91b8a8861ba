import { UserError } from './user-error.ts';

/** Where a PostgreSQL database is, read from `postgres://USER:PASSWORD@HOST:PORT/DATABASE?SETTING=VALUE`. */
export interface PostgresAddress {
  /** One or several; the first that fits is used. */
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  readonly channelBinding: ChannelBinding;
  readonly target: TargetSession;
  /** Settings of each session, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** `host:port`, or several with commas: without secrets, fit for messages and logs. */
  readonly server: string;
  /** `host:port/database`. */
  readonly place: string;
}

export interface Host {
  readonly host: string;
  readonly port: number;
}

/** The values of libpq: https://www.postgresql.org/docs/current/libpq-ssl.html */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** Whether the login is bound to the TLS connection that it is made on: the values of libpq, and its default. */
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const;
type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

/** The values of libpq that make sense here: to which server a connection may lead. */
const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby'] as const;
export type TargetSession = (typeof TARGETS)[number];

const DEFAULT_PORT = 5432;

/** Whether an address is one of PostgreSQL's. */
export function isPostgresUrl(databaseUrl: string): boolean {
  return /^postgres(ql)?:/i.test(databaseUrl);
}

/**
 * Reads `postgres://user:password@host:port,host:port/database?setting=value`. Throws UserError for
 * anything else, without repeating it: the password stands in it. `variable` is where it was set. `target`: which
 * server to use where `target_session_attrs` says nothing. By default that is not a standby, which may be behind, and
 * whose address may lead elsewhere later. Of several hosts, it is one that takes writes.
 */
export function postgresAddress(
  variable: string,
  databaseUrl: string,
  target?: TargetSession,
): PostgresAddress {
  const { hosts, user, database, parameters, ...read } = readAddress(variable, databaseUrl);
  const {
    sslmode,
    ssl,
    channel_binding = 'prefer',
    target_session_attrs,
    connect_timeout,
    password = read.password,
    ...settings
  } = parameters;
  const server = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  const sslMode =
    sslmode === undefined ? byFlag(variable, ssl) : oneOf(variable, 'sslmode', SSL_MODES, sslmode);
  const channelBinding = oneOf(variable, 'channel_binding', CHANNEL_BINDINGS, channel_binding);
  if (channelBinding === 'require' && sslMode === 'disable') {
    throw new UserError(
      `channel_binding=require in ${variable} needs a secure connection. Add sslmode=require, verify-ca or verify-full.`,
    );
  }
  return {
    hosts: hosts.map(({ host, port }) => ({ host: host.replace(/^\[(.*)\]$/, '$1'), port })),
    user,
    password,
    database,
    sslMode,
    channelBinding,
    target: oneOf(
      variable,
      'target_session_attrs',
      TARGETS,
      target_session_attrs ?? target ?? (hosts.length > 1 ? 'read-write' : 'primary'),
    ),
    settings,
    server,
    place: `${server}/${database}`,
  };
}

/**
 * The values of `ssl=` in other programs' addresses. Any other value is refused: a typing error must not turn TLS off.
 */
function byFlag(variable: string, ssl = 'false'): SslMode {
  return oneOf(variable, 'ssl', ['true', 'false'], ssl) === 'true' ? 'verify-full' : 'disable';
}

function oneOf<T extends string>(
  variable: string,
  name: string,
  allowed: readonly T[],
  value: string,
): T {
  const found = allowed.find((each) => each === value);
  if (found) return found;
  throw new UserError(
    `${name} in ${variable} must be one of ${allowed.join(', ')}; got ${JSON.stringify(value)}.`,
  );
}

type Parameters = { readonly [name: string]: string };

/** Not read by URL, which accepts only one host. */
const ADDRESS =
  /^postgres(?:ql)?:\/\/(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@(?<hosts>[^@/?#]+)\/(?<database>[^/?#]+)(?:\?(?<query>[^#]*))?$/i;
const HOST = /^(?<host>\[[\da-f:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/i;

function readAddress(variable: string, databaseUrl: string) {
  try {
    const { user, password, hosts, database, query } =
      ADDRESS.exec(databaseUrl)?.groups ?? ({} as Record<string, string | undefined>);
    const places = hosts?.split(',').map(readHost);
    const isComplete = places?.every((place) => place !== undefined);
    if (user && database && isComplete && !decodeURIComponent(database).includes('/')) {
      return {
        hosts: places,
        user: decodeURIComponent(user),
        password: password ? decodeURIComponent(password) : undefined,
        database: decodeURIComponent(database),
        parameters: Object.fromEntries(new URLSearchParams(query ?? '')) as Parameters,
      };
    }
  } catch {
    // The address is not quoted: one that cannot be read may have the password anywhere.
  }
  throw new UserError(
    `${variable} must read postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %-escapes for characters such as @ and / in the password, and with commas between several HOST:PORT.`,
  );
}

function readHost(text: string): Host | undefined {
  const { host, port = DEFAULT_PORT } = HOST.exec(text)?.groups ?? {};
  return host && Number(port) >= 1 && Number(port) <= 65_535
    ? { host, port: Number(port) }
    : undefined;
}
