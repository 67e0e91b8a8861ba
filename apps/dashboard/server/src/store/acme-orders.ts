import { ALL_PROJECTS } from '../edge/sites/site-source.ts';
import { updateRows } from './rows.ts';
import type { Db, NewRow, Row, Trx } from './schema.ts';

/** How an order came to its end. */
export type OrderEnd = Exclude<Row<'acme_orders'>['state'], 'open'>;

/** In place of a project, for the orders of the installation's own certificates. */
export const PLATFORM = ALL_PROJECTS;

/** Longer than any limit of an authority looks back, in milliseconds. */
const KEPT_MS = 8 * 24 * 3_600_000;

/**
 * Records that an order is about to be made, before the authority is asked. An open order of the domain ends. Deletes
 * orders that no limit counts any more.
 */
export async function insertOrder(
  trx: Trx,
  row: Omit<NewRow<'acme_orders'>, 'id' | 'state' | 'order_url' | 'ended_at'>,
): Promise<void> {
  await endOrder(trx, row.domain_id, 'ended', row.at);
  await trx
    .insertInto('acme_orders')
    .values({ ...row, state: 'open', order_url: null, ended_at: null })
    .execute();
  await trx
    .deleteFrom('acme_orders')
    .where('at', '<', row.at - KEPT_MS)
    .execute();
}

/** Records the URL of a domain's open order. */
export async function recordOrderUrl(trx: Trx, domainId: string, url: string): Promise<void> {
  const open = { domain_id: domainId, state: 'open' } as const;
  await updateRows(trx, 'acme_orders', open, { order_url: url });
}

/** Has the limits count a domain's open order, which was to be exempt. */
export async function endExemption(db: Db, domainId: string): Promise<void> {
  const open = { domain_id: domainId, state: 'open' } as const;
  await updateRows(db, 'acme_orders', open, { is_exempt: 0 });
}

/** Ends the open order of a domain, where it has one. */
export async function endOrder(
  db: Db,
  domainId: string,
  state: OrderEnd,
  at: number,
): Promise<void> {
  const open = { domain_id: domainId, state: 'open' } as const;
  await updateRows(db, 'acme_orders', open, { state, ended_at: at });
}

/** Ends open orders without an issuance, as those of deleted projects; returns each once. */
export function endOrphanedOrders(db: Db, at: number) {
  return db
    .updateTable('acme_orders')
    .set({ state: 'ended', ended_at: at })
    .where('state', '=', 'open')
    .where('project_id', '!=', PLATFORM)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('issuances')
            .select('issuances.domain_id')
            .whereRef('issuances.domain_id', '=', 'acme_orders.domain_id'),
        ),
      ),
    )
    .returningAll()
    .execute();
}

/** Records that an orphaned order had become a certificate. */
export async function recordLateIssuance(db: Db, id: number): Promise<void> {
  await db.updateTable('acme_orders').set({ state: 'issued' }).where('id', '=', id).execute();
}

/** When a name's orders failed at a directory since an instant, oldest first. */
export async function listFailedOrders(
  db: Db,
  directoryUrl: string,
  hostname: string,
  since: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('acme_orders')
    .select('ended_at')
    .where('directory_url', '=', directoryUrl)
    .where('hostname', '=', hostname)
    .where('state', '=', 'failed')
    .where('ended_at', '>', since)
    .orderBy('ended_at')
    .execute();
  return rows.map(({ ended_at }) => Number(ended_at));
}

/** The orders that a limit counts. */
export interface OrderFilter {
  readonly directoryUrl: string;
  readonly hostname?: string;
  readonly registeredDomain?: string;
  readonly projectId?: string;
  /** Those that became a name's new certificates, or still may; renewals; failed ones; those not exempt; or all. */
  readonly only?: 'new certificates' | 'renewals' | 'failed' | 'not exempt';
}

/** When the nth latest of the orders since an instant was placed; undefined where there are fewer. */
export async function nthLatestOrder(
  db: Db,
  n: number,
  since: number,
  { directoryUrl, hostname, registeredDomain, projectId, only }: OrderFilter,
): Promise<number | undefined> {
  let query = db
    .selectFrom('acme_orders')
    .select('at')
    .where('directory_url', '=', directoryUrl)
    .where('at', '>', since);
  if (hostname !== undefined) query = query.where('hostname', '=', hostname);
  if (registeredDomain !== undefined) {
    query = query.where('registered_domain', '=', registeredDomain);
  }
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (only === 'failed') query = query.where('state', '=', 'failed');
  if (only === 'not exempt') query = query.where('is_exempt', '=', 0);
  if (only === 'renewals') query = query.where('is_renewal', '=', 1);
  if (only === 'new certificates') {
    query = query.where('state', 'in', ['open', 'issued']).where('is_renewal', '=', 0);
  }
  const row = await query
    .orderBy('at', 'desc')
    .limit(1)
    .offset(n - 1)
    .executeTakeFirst();
  return row?.at;
}
