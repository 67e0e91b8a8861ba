import type { Transaction } from 'kysely';
import { parse } from 'tldts';
import { countIssuedSince } from '../store/certificates.ts';
import { countIssuanceFailures, listIssuanceFailures } from '../store/issuance-failures.ts';
import { countOpenOrders } from '../store/issuances.ts';
import type { Db } from '../store/open-database.ts';
import type { Database } from '../store/schema.ts';

// Let's Encrypt's limits, each with something kept in reserve: what is counted here is what this installation
// knows of, and a name may have been tried elsewhere.

const HOUR_MS = 3_600_000;

/** 5 failed orders for a name in an hour; one is left for whoever mends it. */
const FAILURES = { limit: 4, windowMs: HOUR_MS } as const;

/** 300 orders for an account in 3 hours. */
const ORDERS = { limit: 270, windowMs: 3 * HOUR_MS } as const;

/** 50 certificates for a registered domain in a week. Renewals by ARI do not count. */
const PER_DOMAIN = { limit: 45, windowMs: 7 * 24 * HOUR_MS } as const;

/** How long is waited where a limit of many names is reached, in milliseconds. */
const CROWDED_MS = 30 * 60_000;

export interface Budget {
  /** Failed orders for the name that are risked in an hour. */
  readonly limit: number;
  readonly left: number;
  /** When the next order is safe, in milliseconds since 1970: now, while some are left. */
  readonly nextSafeAt: number;
}

/** What a name may still fail at a directory within the hour, whichever projects claim or claimed it. */
export async function budgetOf(
  db: Db | Transaction<Database>,
  directoryUrl: string,
  hostname: string,
  now: number,
): Promise<Budget> {
  const { limit, windowMs } = FAILURES;
  const failed = await listIssuanceFailures(db, directoryUrl, hostname, now - windowMs);
  // With one failure more than the limit allows, the second oldest has to be an hour old, and so on.
  const blocking = failed.at(-limit);
  return {
    limit,
    left: Math.max(0, limit - failed.length),
    nextSafeAt: blocking === undefined ? now : blocking + windowMs,
  };
}

/** When an order may be made, and why not sooner; undefined: now. */
export async function heldBackUntil(
  db: Db,
  directoryUrl: string,
  hostname: string,
  { isAriRenewal, now }: { isAriRenewal: boolean; now: number },
): Promise<{ until: number; why: string } | undefined> {
  const { left, limit, nextSafeAt } = await budgetOf(db, directoryUrl, hostname, now);
  if (left === 0) {
    return { until: nextSafeAt, why: `${limit} orders for ${hostname} failed within an hour` };
  }
  const crowded = (why: string) => ({ until: now + CROWDED_MS, why });
  const since = now - ORDERS.windowMs;
  const orders =
    (await countIssuanceFailures(db, directoryUrl, since)) +
    (await countIssuedSince(db, since)) +
    (await countOpenOrders(db, directoryUrl));
  if (orders >= ORDERS.limit) return crowded(`${orders} certificates were ordered within 3 hours`);
  if (isAriRenewal) return undefined;
  const domain = parse(hostname).domain ?? hostname;
  const issued = await countIssuedSince(db, now - PER_DOMAIN.windowMs, domain);
  return issued >= PER_DOMAIN.limit
    ? crowded(`${issued} certificates for ${domain} were issued within a week`)
    : undefined;
}
