import { deleteRows, findRow } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';
import type { UserRow } from './users.ts';

export type SiteSessionRow = Row<'site_sessions'>;

/** Where a session or a ticket is good, and nowhere else. */
interface Place {
  readonly projectId: string;
  readonly host: string;
}

/** The session of a private site with this secret, unless it has expired. */
export async function findSiteSession(
  db: Db,
  { projectId, host }: Place,
  tokenHash: string,
  now: number,
): Promise<SiteSessionRow | undefined> {
  const row = await findRow(db, 'site_sessions', {
    ...{ token_hash: tokenHash, project_id: projectId, host },
  });
  return row && row.expires_at > now ? row : undefined;
}

/** Also deletes what has expired, of all sites. */
export async function insertSiteSession(db: Db, session: NewRow<'site_sessions'>): Promise<void> {
  await db.deleteFrom('site_sessions').where('expires_at', '<=', session.created_at).execute();
  await db.insertInto('site_sessions').values(session).execute();
}

export async function deleteSiteSession(
  db: Db,
  { projectId, host }: Place,
  tokenHash: string,
): Promise<void> {
  await deleteRows(db, 'site_sessions', { token_hash: tokenHash, project_id: projectId, host });
}

/** How many readers of a project's private sites are signed in, each host by itself. */
export async function countSiteSessions(db: Db, projectId: string, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('site_sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Ends all sessions of a project's private sites, and those that were about to begin by a ticket. */
export async function deleteSiteSessions(trx: Trx, projectId: string): Promise<void> {
  await deleteRows(trx, 'site_tickets', { project_id: projectId });
  await deleteRows(trx, 'site_sessions', { project_id: projectId });
}

/** The user of a session of the dashboard; undefined: it has ended, or they are disabled. */
export function findUserOfSession(
  db: Db,
  sessionId: string,
  now: number,
): Promise<UserRow | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .where('sessions.id', '=', sessionId)
    .where('sessions.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Also deletes tickets that have expired. */
export async function insertTicket(
  db: Db,
  ticket: NewRow<'site_tickets'>,
  now: number,
): Promise<void> {
  await db.deleteFrom('site_tickets').where('expires_at', '<=', now).execute();
  await db.insertInto('site_tickets').values(ticket).execute();
}

/** Takes a ticket: nobody finds it again. */
export function takeTicket(trx: Trx, ticketHash: string): Promise<Row<'site_tickets'> | undefined> {
  return trx
    .deleteFrom('site_tickets')
    .where('ticket_hash', '=', ticketHash)
    .returningAll()
    .executeTakeFirst();
}

/** Remembers that a link was exchanged, as long as it is valid. false: it was before. Also forgets expired ones. */
export async function takeLink(
  db: Db,
  link: { hash: string; expiresAt: number },
  now: number,
): Promise<boolean> {
  await db.deleteFrom('site_links').where('expires_at', '<=', now).execute();
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_links')
    .values({ link_hash: link.hash, expires_at: link.expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}
