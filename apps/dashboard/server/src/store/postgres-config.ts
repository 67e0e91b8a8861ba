import { type ClientConfig, types } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;

const STATEMENT_TIMEOUT_MS = 30_000;

/** Quiet time before the system asks whether the other end of a connection is still there. */
const KEEP_ALIVE_MS = 60_000;

interface Tls {
  readonly ssl: NonNullable<ClientConfig['ssl']>;
  /** Whether a server without TLS will do. */
  readonly mayBePlain: boolean;
}

/**
 * What the driver needs to know of `postgres://USER:PASSWORD@HOST:PORT/DATABASE?SETTING=VALUE`, which
 * postgresAddress() has read. Not left to the driver, since its reading of sslmode is another than libpq's.
 */
export function connectionConfig(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const { ssl, sslmode = ssl, connect_timeout, ...settings } = Object.fromEntries(url.searchParams);
  const { ssl: tls, mayBePlain } = tlsOf(sslmode);
  const config: ClientConfig = {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: tls,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: { getTypeParser },
    ...sessionConfig(settings),
  };
  if (url.password) config.password = decodeURIComponent(url.password);
  return { config, mayBePlain };
}

/** The modes as libpq has them, but that `verify-ca` looks at the name, too, and `allow` insists on TLS. */
function tlsOf(mode: string | undefined): Tls {
  switch (mode) {
    case undefined:
    case 'disable':
    case 'false':
      return { ssl: false, mayBePlain: false };
    case 'allow':
    case 'prefer':
    case 'require':
      return { ssl: { rejectUnauthorized: false }, mayBePlain: mode === 'prefer' };
    default:
      return { ssl: true, mayBePlain: false };
  }
}

/** The session's settings; those that the address names go before the program's. */
function sessionConfig(settings: Readonly<Record<string, string>>): ClientConfig {
  const { application_name = 'dashboard', options, ...others } = settings;
  const switches = Object.entries(others).map(
    ([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`,
  );
  return {
    application_name,
    // The driver's own would win over the address's, which may have a unit.
    ...(!('statement_timeout' in others) && { statement_timeout: STATEMENT_TIMEOUT_MS }),
    options: [...(options ? [options] : []), ...switches].join(' '),
  };
}

function getTypeParser(id: number, format?: 'text' | 'binary') {
  // Instants and counters, all far below 2^53.
  return id === types.builtins.INT8 ? Number : types.getTypeParser(id, format);
}
