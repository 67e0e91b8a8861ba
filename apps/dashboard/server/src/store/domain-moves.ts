import { sql } from 'kysely';
import { lockDomains } from './domains.ts';
import { deleteRows, findRow, updateRows } from './rows.ts';
import type { Db, Row, RowChange } from './schema.ts';

export type DomainMoveRow = Row<'domain_moves'>;

const MINUTE_MS = 60_000;

/** Counted requests older than this are deleted, in minutes. */
const KEPT_MINUTES = 60;

/** A name that moved away and had no request for so long, in milliseconds, is used no more. */
export const QUIET_MS = 7 * 24 * 3_600_000;

/** How long requests are counted for a domain that leads here since then, in milliseconds. */
const COUNTED_MS = 48 * 3_600_000;

/** Whether some resolvers may lead to another host than the others, so that it is worth knowing who comes here. */
export function isMoving(
  {
    awaits_move,
    moved_away_at,
    arrived_at,
  }: Pick<Row<'domains'>, 'awaits_move' | 'moved_away_at'> & { readonly arrived_at: number | null },
  now: number,
): boolean {
  if (awaits_move === 1 || moved_away_at !== null) return true;
  return arrived_at !== null && now - arrived_at < COUNTED_MS;
}

export function findMove(db: Db, domainId: string) {
  return findRow(db, 'domain_moves', { domain_id: domainId });
}

/** Stores what was seen of a domain's move. Nothing is stored where the domain is gone. */
export async function recordMoveSeen(
  db: Db,
  domainId: string,
  change: RowChange<'domain_moves'>,
): Promise<void> {
  await sql`INSERT INTO domain_moves (domain_id) SELECT id FROM domains WHERE id = ${domainId}
    ON CONFLICT (domain_id) DO NOTHING`.execute(db);
  await updateRows(db, 'domain_moves', { domain_id: domainId }, change);
}

/** Forgets what was seen of a domain's move: it is added anew. */
export async function clearMove(db: Db, domainId: string): Promise<void> {
  await deleteRows(db, 'domain_moves', { domain_id: domainId });
  await deleteRows(db, 'domain_requests', { domain_id: domainId });
}

/** Adds requests that an edge had for domains, by their ids, to those that it and others had in this minute. */
export async function addRequests(
  db: Db,
  counts: ReadonlyMap<string, number>,
  at: number,
): Promise<void> {
  const minute = Math.floor(at / MINUTE_MS);
  await db.transaction().execute(async (trx) => {
    // In the order of all locks, so that neither edges nor who removes domains wait for each other in a circle.
    for (const { id: domainId } of await lockDomains(trx, [...counts.keys()])) {
      const requests = counts.get(domainId) ?? 0;
      await sql`INSERT INTO domain_requests (domain_id, minute, requests)
        VALUES (${domainId}, ${minute}, ${requests})
        ON CONFLICT (domain_id, minute) DO UPDATE SET requests = domain_requests.requests + ${requests}`.execute(
        trx,
      );
      await recordMoveSeen(trx, domainId, { last_request_at: at });
    }
  });
}

/** The requests of a domain in the last minutes, the oldest first; minutes without any are left out. */
export async function listRequests(db: Db, domainId: string, now: number, minutes: number) {
  const rows = await db
    .selectFrom('domain_requests')
    .select(['minute', 'requests'])
    .where('domain_id', '=', domainId)
    .where('minute', '>', Math.floor(now / MINUTE_MS) - minutes)
    .orderBy('minute')
    .execute();
  return rows.map(({ minute, requests }) => ({ at: Number(minute) * MINUTE_MS, requests }));
}

export async function pruneRequests(db: Db, now: number): Promise<void> {
  const oldest = Math.floor(now / MINUTE_MS) - KEPT_MINUTES;
  await db.deleteFrom('domain_requests').where('minute', '<', oldest).execute();
}
