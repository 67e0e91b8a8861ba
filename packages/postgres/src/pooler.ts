import { UserError } from '@petstore/service/user-error.ts';
import type { Connection } from './connection.ts';
import { codeOf } from './errors.ts';
import type { PostgresServer } from './server.ts';

/** PgBouncer's error for BEGIN where it gives each statement another session: a protocol violation. */
const NO_TRANSACTIONS = '08P01';

/** How many connections a pooler gets the chance to hand out in turn. */
const PROBES = 3;

/**
 * Refuses a pooler that gives each transaction another session. Sessions lose there what programs keep in them:
 * settings, prepared statements, and the news of revoked keys. The check finds it by asking while other connections
 * hold the session that was used last. It comes first, with unnamed statements, since the sessions of such a pooler
 * have the named ones of other processes. Throws a UserError that names the program and the variable with the address.
 */
export async function refuseTransactionPooling(
  connection: Connection,
  server: PostgresServer,
  program: string,
  variable: string,
): Promise<void> {
  const session = await sessionOf(connection);
  if (session === connection.processId) return;
  const others: Connection[] = [];
  try {
    while (others.length < PROBES) {
      const other = await server.connect();
      others.push(other);
      if (!(await begins(other)) || (await sessionOf(connection)) !== session) {
        throw new UserError(
          `${server.address.server} pools connections by transaction, which ${program} cannot work with. Set its mode for this database to session (PgBouncer: pool_mode=session), or let ${variable} name PostgreSQL itself.`,
        );
      }
    }
  } finally {
    for (const other of others) other.destroy();
  }
}

/** Whether a transaction can be begun at all. */
async function begins(connection: Connection): Promise<boolean> {
  try {
    await connection.script('BEGIN');
    return true;
  } catch (error) {
    if (codeOf(error) === NO_TRANSACTIONS) return false;
    throw error;
  }
}

/** The process of the server that serves a connection now. */
async function sessionOf(connection: Connection): Promise<number | undefined> {
  const [result] = await connection.script('SELECT pg_backend_pid() AS pid');
  return result?.rows[0]?.pid;
}
