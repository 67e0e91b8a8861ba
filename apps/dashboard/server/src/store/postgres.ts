import { UserError } from '@petstore/service/user-error.ts';
import { PostgresJSDialect } from 'kysely-postgres-js';
import postgres from 'postgres';

/** The values of libpq; the driver takes any other word for one of these, in silence. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Kysely's PostgreSQL. `poolSize`: connections at most. Throws UserError that names the `variable` where
 * the address cannot be read, and does not repeat it: the password stands in it.
 */
export function postgresDialect(
  variable: string,
  url: string,
  poolSize: number,
): PostgresJSDialect {
  checkAddress(variable, url);
  return new PostgresJSDialect({
    postgres: postgres(url, {
      max: poolSize,
      connect_timeout: 5,
      onnotice: () => {},
      connection: { application_name: 'dashboard', statement_timeout: 30_000 },
      types: {
        // Instants and counters, all far below 2^53.
        bigint: { to: 20, from: [20], parse: Number, serialize: String },
      },
    }),
  });
}

function checkAddress(variable: string, url: string): void {
  if (!isWholeAddress(url)) {
    throw new UserError(
      `${variable} must read postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %-escapes for characters such as @ and / in the password.`,
    );
  }
  const sslMode = new URL(url).searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) {
    throw new UserError(
      `sslmode in ${variable} must be one of ${SSL_MODES.join(', ')}; got ${JSON.stringify(sslMode)}.`,
    );
  }
}

function isWholeAddress(text: string): boolean {
  try {
    const url = new URL(text);
    decodeURIComponent(url.password);
    const database = decodeURIComponent(url.pathname.slice(1));
    const user = decodeURIComponent(url.username);
    return url.hostname !== '' && user !== '' && database !== '' && !database.includes('/');
  } catch {
    return false;
  }
}
