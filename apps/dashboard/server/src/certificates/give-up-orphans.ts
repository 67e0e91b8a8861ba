import { endOrphanedOrders, recordLateIssuance } from '../store/acme-orders.ts';
import type { Accounts } from './account.ts';
import type { IssuerDeps } from './attempt.ts';

/**
 * Gives up the open orders of projects that were deleted. That one fails changes nothing: orders end by
 * themselves. One that had become a certificate counts as such.
 */
export async function giveUpOrphans(
  { db, now, log }: Pick<IssuerDeps, 'db' | 'now' | 'log'>,
  accounts: Accounts,
): Promise<void> {
  for (const { id, directory_url, order_url, hostname } of await endOrphanedOrders(db, now())) {
    if (order_url === null) continue;
    try {
      const authority = await accounts.at(directory_url);
      const order = await authority.getOrder(order_url);
      if (order.status === 'pending' || order.status === 'ready') await authority.abandon(order);
      else if (order.status !== 'invalid') await recordLateIssuance(db, id);
    } catch (error) {
      log.warn({ err: error, hostname }, 'an order could not be given up');
    }
  }
}
