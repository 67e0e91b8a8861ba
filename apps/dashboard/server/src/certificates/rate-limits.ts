import { zoneOf } from '../domains/hostname.ts';
import { listFailedOrders, nthLatestOrder, type OrderFilter } from '../store/acme-orders.ts';
import type { Db } from '../store/schema.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** The installation has no limit; the authority may have one. */
const NONE = Number.POSITIVE_INFINITY;

/** `first`: for new certificates; `renewal`: for renewals, which have a reserve that new names cannot use up. */
interface Limit {
  readonly first: number;
  readonly renewal: number;
  readonly windowMs: number;
  /** `authority`: another authority has a budget of its own. `own`: it is not asked in place of this one. */
  readonly of: 'authority' | 'own';
}

/** The orders of an account in 3 hours. A reserve is for renewals, and another for what we do not know of. */
function ordersOfAccount(allowed: number): Limit {
  return {
    first: Math.floor(allowed * 0.9),
    renewal: Math.floor((allowed * 59) / 60),
    ...{ windowMs: 3 * HOUR_MS, of: 'authority' },
  };
}

/**
 * The installation stays below the rate limits of Let's Encrypt, with a reserve: it counts its own orders only, and
 * a name may have been tried elsewhere. The limits of a project leave other projects their share of the account's.
 *
 * Each authority has a budget of its own. Of those but Let's Encrypt only the orders of an account are known, from
 * ACME_ORDERS_PER_3_HOURS; the other limits are kept there, too.
 *
 * An order that replaces a certificate when the authority's renewal information asks for it (RFC 9773, section 5) is
 * exempt from the limits of authorities: without that, no installation could have 10,000 certificates of six days. An
 * order with `replaces` is taken as exempt, whether or not the authority's window asks for it.
 *
 * The limits of certificates in a week neither defer nor count renewals: the authority chooses the lifetime, and
 * with it how many renewals there are. Where a certificate lives for a day, ten renewals a week are normal, and a
 * deferred one would be an outage.
 */
const LIMITS = {
  /** 5 certificates for the same name in a week; the fifth is the renewal that may come between. */
  certificatesOfName: { first: 4, renewal: NONE, windowMs: WEEK_MS, of: 'authority' },
  /** 50 certificates for a registered domain in a week; renewals are exempt there, too. */
  certificatesOfDomain: { first: 45, renewal: NONE, windowMs: WEEK_MS, of: 'authority' },
  /** Our own: a wrong clock or a strange window of the authority's cannot cause a loop of renewals. */
  renewalsOfName: { first: NONE, renewal: 6, windowMs: HOUR_MS, of: 'own' },
  /** Our own: a project's share of the account's orders. */
  ordersOfProject: { first: 20, renewal: NONE, windowMs: HOUR_MS, of: 'own' },
  /** Our own: who fails so often has to mend something first. */
  failuresOfProject: { first: 10, renewal: NONE, windowMs: HOUR_MS, of: 'own' },
} as const satisfies Record<string, Limit>;

/** 5 orders for a name may fail in an hour; one is left for whoever corrects the DNS. */
const FAILURES_OF_NAME = 4;

export interface Budget {
  /** How many orders for the name may fail within an hour. */
  readonly limit: number;
  readonly left: number;
  /** When the next order is safe, in milliseconds since 1970: now, while some are left. */
  readonly nextSafeAt: number;
}

/** How many orders for a name may still fail at a directory within the hour, for all projects that claim or claimed it. */
export async function budgetOf(
  db: Db,
  directoryUrl: string,
  hostname: string,
  now: number,
): Promise<Budget> {
  const limit = FAILURES_OF_NAME;
  const failed = await listFailedOrders(db, directoryUrl, hostname, now - HOUR_MS);
  // With one failure more than the limit allows, the second oldest has to be an hour old, and so on.
  const blocking = failed.at(-limit);
  return {
    limit,
    left: Math.max(0, limit - failed.length),
    nextSafeAt: blocking === undefined ? now : blocking + HOUR_MS,
  };
}

/** An order that is not placed yet. */
export interface PlannedOrder {
  readonly directoryUrl: string;
  readonly hostname: string;
  readonly projectId: string;
  readonly kind: 'first' | 'renewal';
  /** The authority does not count it. */
  readonly isExempt: boolean;
  /** How many orders the account may make in three hours; undefined: any number. */
  readonly ordersPer3Hours: number | undefined;
}

/** An order has to wait. */
export interface Deferral extends Pick<Limit, 'of'> {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly why: string;
}

/** When an order may be placed, and why not sooner; undefined: now. */
export async function deferredUntil(
  db: Db,
  { directoryUrl, hostname, projectId, kind, isExempt, ordersPer3Hours }: PlannedOrder,
  now: number,
): Promise<Deferral | undefined> {
  const { left, limit, nextSafeAt } = await budgetOf(db, directoryUrl, hostname, now);
  if (left === 0) {
    const why = `${limit} orders for ${hostname} failed within an hour`;
    return { until: nextSafeAt, why, of: 'own' };
  }
  const registeredDomain = zoneOf(hostname);
  const rules: [Limit, Omit<OrderFilter, 'directoryUrl'>, (count: number) => string][] = [
    [
      ordersOfAccount(isExempt ? NONE : (ordersPer3Hours ?? NONE)),
      { only: 'not exempt' },
      (n) => `${n} certificates were ordered within 3 hours`,
    ],
    [
      LIMITS.certificatesOfName,
      { hostname, only: 'new certificates' },
      (n) => `${n} certificates for ${hostname} were made within a week`,
    ],
    [
      LIMITS.certificatesOfDomain,
      { registeredDomain, only: 'new certificates' },
      (n) => `${n} certificates for ${registeredDomain} were made within a week`,
    ],
    [
      LIMITS.renewalsOfName,
      { hostname, only: 'renewals' },
      (n) => `${n} renewals for ${hostname} were ordered within an hour`,
    ],
    [
      LIMITS.ordersOfProject,
      { projectId },
      (n) => `this project ordered ${n} certificates within an hour`,
    ],
    [
      LIMITS.failuresOfProject,
      { projectId, only: 'failed' },
      (n) => `${n} orders of this project failed within an hour`,
    ],
  ];
  for (const [{ windowMs, of, ...most }, filter, why] of rules) {
    const count = most[kind];
    if (!Number.isFinite(count)) continue;
    const reached = await nthLatestOrder(db, count, now - windowMs, { directoryUrl, ...filter });
    if (reached !== undefined) return { until: reached + windowMs, why: why(count), of };
  }
  return undefined;
}
