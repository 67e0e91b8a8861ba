import type { Connection } from '@petstore/postgres/connection.ts';
import {
  ConnectionLostError,
  codeOf,
  isConnectionLoss,
  SQLSTATE,
} from '@petstore/postgres/errors.ts';
import sql from 'sql-template-tag';
import type { Problem } from '../store.ts';
import { StoreOverloadedError, StoreUnavailableError } from '../store-errors.ts';
import type { WriteHealth } from '../write-health.ts';
import type { PostgresClient } from './client.ts';

const LATE: Problem = { message: 'The database does not respond in time.' };
const STUCK: Problem = { message: 'The database does not take a write in time.' };

/** Checks whether the database can be read. */
export async function checkReads(client: PostgresClient): Promise<Problem | undefined> {
  try {
    await client.row(sql`SELECT 1`);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** Checks whether the database accepts writes and, where the last write failed, whether one succeeds. */
export async function checkWrites(
  client: PostgresClient,
  health: WriteHealth,
): Promise<Problem | undefined> {
  if (health.isStuck) return STUCK;
  try {
    await client.run(refuseReadOnly);
    if (health.recentFailure !== undefined) return problemOf(health.recentFailure);
    if (!health.isGood) await probeWrite(client);
    health.succeeded();
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/**
 * Rejects as a write would, so that the connection is discarded: another one may lead to a server that accepts writes.
 */
async function refuseReadOnly(db: Connection): Promise<void> {
  const row = await db.row(
    sql`SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
  );
  if (row?.isReadOnly)
    throw new ConnectionLostError(SQLSTATE.READ_ONLY, 'the session is read-only');
}

/** A real write that leaves nothing behind: it takes a file, a page in it, and a commit. */
async function probeWrite(client: PostgresClient): Promise<void> {
  try {
    await client.transaction((db) =>
      db.execute(sql`CREATE TEMP TABLE petstore_probe ON COMMIT DROP AS SELECT 1 AS one`),
    );
  } catch (error) {
    // A user that may not create tables learns nothing this way; the next write will show.
    if (error instanceof StoreUnavailableError) throw error;
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof StoreOverloadedError) return { message: error.publicMessage };
  if (error instanceof StoreUnavailableError && error.kind === 'timeout') return LATE;
  const cause = error instanceof StoreUnavailableError ? (error.cause ?? error) : error;
  return { message: messageOf(cause), cause };
}

function messageOf(cause: unknown): string {
  const code = codeOf(cause);
  if (code === SQLSTATE.DISK_FULL) return "The database's disk is full.";
  if (code === SQLSTATE.READ_ONLY) return 'The database is read-only.';
  if (isConnectionLoss(cause)) return 'The database cannot be reached.';
  return 'The database cannot work now.';
}
