import { UserError } from './user-error.ts';

/** Where a PostgreSQL database is, without the password: fit for messages and logs. */
export interface PostgresAddress {
  /** The address with its secrets, for the driver alone. */
  readonly url: string;
  /** `host:port/database`. */
  readonly place: string;
  /** Server alone: `host:port`. */
  readonly server: string;
  readonly user: string;
  readonly database: string;
}

const DEFAULT_PORT = '5432';

/** The values of libpq, that addresses for other programs have too. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Whether an address is one of PostgreSQL's. */
export function isPostgresUrl(databaseUrl: string): boolean {
  return /^postgres(ql)?:/i.test(databaseUrl);
}

/**
 * Reads `postgres://user:password@host:port/database`. Throws UserError for what is no such address,
 * and does not repeat it: the password stands in it. `variable` is where it was set.
 */
export function postgresAddress(variable: string, databaseUrl: string): PostgresAddress {
  const address = readAddress(variable, databaseUrl);
  const sslMode = new URL(databaseUrl).searchParams.get('sslmode');
  // The driver takes any other word for one of these, in silence.
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    throw new UserError(
      `sslmode in ${variable} must be one of ${SSL_MODES.join(', ')}; got ${JSON.stringify(sslMode)}.`,
    );
  }
  return address;
}

function readAddress(variable: string, databaseUrl: string): PostgresAddress {
  try {
    const url = new URL(databaseUrl);
    const user = decodeURIComponent(url.username);
    const database = decodeURIComponent(url.pathname.slice(1));
    decodeURIComponent(url.password);
    const server = `${url.hostname}:${url.port || DEFAULT_PORT}`;
    if (url.hostname && user && database && !database.includes('/')) {
      return { url: databaseUrl, place: `${server}/${database}`, server, user, database };
    }
  } catch {
    // Not quoted: an address that cannot be read may hold the password anywhere.
  }
  throw new UserError(
    `${variable} must read postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %-escapes for characters such as @ and / in the password.`,
  );
}
