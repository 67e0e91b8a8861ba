import { setTimeout as sleep } from 'node:timers/promises';
import { zoneOf } from '../domains/hostname.ts';
import {
  endExemption,
  endOrphanedOrders,
  insertOrder,
  recordLateIssuance,
  recordOrderUrl,
} from '../store/acme-orders.ts';
import { findCertificate } from '../store/certificates.ts';
import { lockDomain } from '../store/domains.ts';
import type { AccountDeps, AcmeAccounts } from './account.ts';
import type { AcmeClient, Order, OrderOptions } from './acme-client.ts';
import { ProblemError, readProblem, UnreachableError } from './acme-transport.ts';
import { authorityAt, issuerOf } from './authorities.ts';
import { type Attempt, acmeClient, goToStep, recordProgress } from './issuance.ts';
import { OrderFailedError } from './problem.ts';
import { type Deferral, deferredUntil, type PlannedOrder } from './rate-limits.ts';
import { certificateKeyContext, makePrivateKey } from './sealing.ts';

/** Of the account's orders, how many are searched for one whose response was lost. */
const LISTED_ORDERS = 50;

/** How long an attempt polls a resource, in milliseconds; after that the issuance is retried later. */
const MAX_POLL_MS = 60_000;

/** The first wait between two polls, and the longest, in milliseconds, where the authority sends no Retry-After. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 3_000;

/** The installation's own rate limits allow the order only later. */
export class OrderDeferredError extends Error {
  override name = 'OrderDeferredError';
  /** Milliseconds since 1970. */
  readonly until: number;
  /** Another authority may take the order now. */
  readonly isOfAuthority: boolean;

  constructor({ why, until, of }: Deferral) {
    super(why);
    this.until = until;
    this.isOfAuthority = of === 'authority';
  }
}

/**
 * Makes the key and the order. The key is stored first: where there is a key and no order, a process died between
 * the two, and the authority may have an order whose URL is not stored.
 */
export async function placeOrder(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  const client = await acmeClient(attempt);
  const replaces = await replacedCertificate(attempt, client);
  let order: Order | undefined;
  if (row.sealed_key !== null) order = await findLostOrder(client, [row.hostname]);
  if (!order) {
    const { hostname, domain_id, directory_url } = row;
    // Before the order is counted: for a profile that the directory does not have, none is placed.
    const profile = offeredProfile(client, authorityAt(deps.config.acme, directory_url)?.profile);
    const key = await makePrivateKey();
    const sealedKey = deps.sealer.seal(key, certificateKeyContext(domain_id));
    await countOrder(attempt, sealedKey, replaces !== undefined);
    order = await orderReplacing(client, hostname, { replaces, profile }, () =>
      endExemption(deps.db, domain_id),
    );
  }
  // Kept in memory even if it cannot be stored: where nobody wants the certificate any more, the order is abandoned.
  attempt.row = { ...attempt.row, order_url: order.url };
  const { url } = order;
  await goToStep(attempt, 'challenge', { order_url: url }, (trx) =>
    recordOrderUrl(trx, row.domain_id, url),
  );
}

/**
 * Counts the order and stores its key, before the authority is asked. Counts of other domains run at the same time; the
 * reserve in rate-limits.ts covers that. Rejects with OrderDeferredError.
 */
async function countOrder(attempt: Attempt, sealedKey: string, isExempt: boolean): Promise<void> {
  const { deps, row, projectId } = attempt;
  const { directory_url, hostname, domain_id, kind } = row;
  const at = deps.now();
  const planned: PlannedOrder = {
    directoryUrl: directory_url,
    ...{ hostname, projectId, kind, isExempt },
    ordersPer3Hours: authorityAt(deps.config.acme, directory_url)?.ordersPer3Hours,
  };
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, domain_id);
    const deferred = await deferredUntil(trx, planned, at);
    if (deferred) throw new OrderDeferredError(deferred);
    await recordProgress(attempt, { sealed_key: sealedKey }, trx);
    await insertOrder(trx, {
      directory_url,
      hostname,
      registered_domain: zoneOf(hostname),
      project_id: projectId,
      domain_id,
      is_renewal: kind === 'renewal' ? 1 : 0,
      is_exempt: isExempt ? 1 : 0,
      at,
    });
  });
}

/**
 * Places an order that replaces a certificate. Where the authority refuses the replacement, places one that replaces
 * nothing. That one counts against the rate limits, so `onNotExempt` is called first.
 */
export async function orderReplacing(
  client: AcmeClient,
  hostname: string,
  { replaces, ...options }: OrderOptions,
  onNotExempt: () => Promise<void>,
): Promise<Order> {
  try {
    return await client.newOrder(hostname, { ...options, replaces });
  } catch (error) {
    // RFC 9773, section 5: another order replaces the certificate already, or the certificate is another account's.
    const isAboutReplaced =
      replaces !== undefined &&
      error instanceof ProblemError &&
      ['alreadyReplaced', 'malformed', 'unauthorized'].includes(error.document.type);
    if (!isAboutReplaced) throw error;
    await onNotExempt();
    return client.newOrder(hostname, options);
  }
}

/**
 * The configured profile. Throws ProblemError where the directory does not have it: an order for it would be refused, or
 * bring a certificate of another kind (draft-ietf-acme-profiles, section 4).
 */
export function offeredProfile(
  { directory: { profiles } }: AcmeClient,
  profile: string | undefined,
) {
  if (profile === undefined || profiles?.includes(profile)) return profile;
  const offered = profiles?.length ? `It offers ${profiles.join(', ')}` : 'It offers none';
  const detail = `${offered}; configured: ${profile}.`;
  throw new ProblemError({ type: 'invalidProfile', detail, status: 0 });
}

/** The ARI id of the certificate that the order replaces, where the authority supports ARI (RFC 9773). */
async function replacedCertificate(
  { deps, row }: Attempt,
  client: AcmeClient,
): Promise<string | undefined> {
  if (row.kind === 'first' || client.directory.renewalInfo === undefined) return undefined;
  const certificate = await findCertificate(deps.db, row.domain_id);
  // Another authority does not know it.
  if (!certificate || issuerOf(certificate, deps.config.acme) !== row.directory_url)
    return undefined;
  return certificate.ari_id ?? undefined;
}

/**
 * The open order of a process that died before it could store the order's URL, from the account's list of orders.
 * Further open orders for the names are abandoned. An authority without that list returns an open order for the
 * same names again by itself.
 */
export async function findLostOrder(
  client: AcmeClient,
  names: readonly string[],
): Promise<Order | undefined> {
  let found: Order | undefined;
  for (const url of (await client.listOrders()).slice(-LISTED_ORDERS)) {
    const order = await client.getOrder(url);
    const { identifiers } = order;
    const isForNames =
      identifiers.length === names.length &&
      identifiers.every(({ value }) => names.includes(value));
    if (!isForNames || !isOpen(order)) continue;
    if (found) await client.abandon(order);
    else found = order;
  }
  return found;
}

/** The order of an attempt. Rejects with OrderFailedError where the authority does not know it any more. */
export async function currentOrder({ deps, row }: Attempt, client: AcmeClient): Promise<Order> {
  const gone = (detail: string) =>
    new OrderFailedError({ type: 'orderGone', detail, at: deps.now() });
  if (row.order_url === null) throw gone('There is no order.');
  try {
    return await client.getOrder(row.order_url);
  } catch (error) {
    if (error instanceof ProblemError && [403, 404].includes(error.document.status)) {
      throw gone(error.document.detail);
    }
    throw error;
  }
}

/** Why an order is invalid, by its own `error`. */
export function orderFailed(order: Order, at: number): OrderFailedError {
  const { type, detail } = readProblem(order.error, 0);
  return new OrderFailedError({ type, detail, at });
}

/**
 * Reads a resource until it is settled, as often as the authority asks for. Rejects with UnreachableError
 * (isTimeout) when that takes too long.
 */
export async function poll<T>(
  read: () => Promise<T>,
  isSettled: (resource: T) => boolean,
  pollAfter: (resource: T) => number | undefined,
  signal: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + MAX_POLL_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    const resource = await read();
    if (isSettled(resource)) return resource;
    const pause = pollAfter(resource) ?? wait;
    if (performance.now() + pause > deadline) {
      throw new UnreachableError('the authority has not come to an end yet', { isTimeout: true });
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Abandons the order of an attempt, so that nobody can finish it. A failure does no harm: open orders expire. */
export async function abandonOrder(attempt: Attempt): Promise<void> {
  const { deps, row } = attempt;
  if (row.order_url === null && row.sealed_key === null) return;
  try {
    const client = await acmeClient(attempt);
    const order =
      row.order_url === null
        ? await findLostOrder(client, [row.hostname])
        : await client.getOrder(row.order_url);
    if (order && isOpen(order)) await client.abandon(order);
  } catch (error) {
    deps.log.warn({ err: error, hostname: row.hostname }, 'an order could not be abandoned');
  }
}

/**
 * Abandons the open orders of domains and projects that were deleted. A failure does no harm: open orders expire.
 * An order that has become a certificate is counted as one.
 */
export async function abandonOrphanedOrders(
  { db, now, log }: AccountDeps,
  accounts: AcmeAccounts,
): Promise<void> {
  for (const { id, directory_url, order_url, hostname } of await endOrphanedOrders(db, now())) {
    if (order_url === null) continue;
    try {
      const client = await accounts.at(directory_url);
      const order = await client.getOrder(order_url);
      if (isOpen(order)) await client.abandon(order);
      else if (order.status !== 'invalid') await recordLateIssuance(db, id);
    } catch (error) {
      log.warn({ err: error, hostname }, 'an order could not be abandoned');
    }
  }
}

function isOpen({ status }: Order): boolean {
  return status === 'pending' || status === 'ready';
}
