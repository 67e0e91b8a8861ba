import type { DomainEventKind } from '../domains/domain.ts';
import type { Db, Row, Trx } from './schema.ts';

export type DomainEventRow = Row<'domain_events'>;

/** Adds a line to a domain's timeline, in the transaction of the event. */
export async function recordDomainEvent(
  db: Db,
  domainId: string,
  at: number,
  kind: DomainEventKind,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await db
    .insertInto('domain_events')
    .values({ domain_id: domainId, at, kind, message, details: JSON.stringify(details) })
    .execute();
}

/** At most `limit` events older than the event `before`, newest first. */
export function listDomainEvents(
  db: Db,
  domainId: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<DomainEventRow[]> {
  let query = db
    .selectFrom('domain_events')
    .selectAll()
    .where('domain_id', '=', domainId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

/** Since when a verified domain is here: its DNS led here for the first time then, or again. */
export async function cameHereAt(trx: Trx, domainId: string, verifiedAt: number): Promise<number> {
  const row = await trx
    .selectFrom('domain_events')
    .select('at')
    .where('domain_id', '=', domainId)
    .where('kind', 'in', ['returned', 'arrived'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return Math.max(row?.at ?? 0, verifiedAt);
}

/** The newest event of a kind in a domain's timeline, of an instant or later. */
export function findEventSince(
  trx: Trx,
  domainId: string,
  kind: DomainEventKind,
  since: number,
): Promise<DomainEventRow | undefined> {
  return trx
    .selectFrom('domain_events')
    .selectAll()
    .where('domain_id', '=', domainId)
    .where('kind', '=', kind)
    .where('at', '>=', since)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
