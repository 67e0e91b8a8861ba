import { insertOrder, recordOrderUrl } from '../store/acme-orders.ts';
import { findCertificate } from '../store/certificates.ts';
import { lockDomain } from '../store/domains.ts';
import type { AuthorityClient, Order } from './acme/authority-client.ts';
import { ProblemError, readProblem } from './acme/problem-document.ts';
import { type Attempt, authorityOf, note, reach } from './attempt.ts';
import { heldBackUntil, type PlannedOrder, registeredDomainOf } from './budget.ts';
import { poll } from './poll.ts';
import { makePrivateKey } from './private-key.ts';
import { OrderFailedError } from './problem.ts';
import { certificateKeyContext } from './sealing.ts';

/** Of the account's orders, how many are looked at for one whose answer was lost. */
const LISTED_ORDERS = 50;

/** Not now: this installation's own limits say when. */
export class HeldBackError extends Error {
  override name = 'HeldBackError';
  /** Milliseconds since 1970. */
  readonly until: number;

  constructor(why: string, until: number) {
    super(why);
    this.until = until;
  }
}

/**
 * Makes the key and the order. The key is kept first: where it is there and no order is, a process died between
 * the two, and the authority may have an order that nobody knows of.
 */
export async function placeOrder(attempt: Attempt): Promise<boolean> {
  const { deps, row } = attempt;
  const authority = await authorityOf(attempt);
  const replaces = await replacedCertificate(attempt, authority);
  let order: Order | undefined;
  if (row.sealed_key !== null) order = await findLostOrder(attempt, authority);
  if (!order) {
    const key = await makePrivateKey();
    const sealed = deps.sealer.seal(key, certificateKeyContext(row.domain_id));
    await announceOrder(attempt, sealed);
    order = await newOrder(authority, row.hostname, replaces);
  }
  // Known here whatever becomes of the note: should nobody want the certificate any more, it is to be given up.
  attempt.row = { ...attempt.row, order_url: order.url };
  const { url } = order;
  await reach(attempt, 'challenge', { order_url: url }, (trx) =>
    recordOrderUrl(trx, row.domain_id, url),
  );
  return false;
}

/** Counts the order and keeps its key, before the authority hears of it. Rejects with HeldBackError. */
async function announceOrder(attempt: Attempt, sealedKey: string): Promise<void> {
  const { deps, row, projectId } = attempt;
  const { directory_url, hostname, domain_id, kind } = row;
  const at = deps.now();
  const planned: PlannedOrder = { directoryUrl: directory_url, hostname, projectId, kind };
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, domain_id);
    const held = await heldBackUntil(trx, planned, at);
    if (held) throw new HeldBackError(held.why, held.until);
    await note(attempt, { sealed_key: sealedKey }, trx);
    await insertOrder(trx, {
      directory_url,
      hostname,
      registered_domain: registeredDomainOf(hostname),
      project_id: projectId,
      domain_id,
      is_renewal: kind === 'renewal' ? 1 : 0,
      at,
    });
  });
}

async function newOrder(
  authority: AuthorityClient,
  hostname: string,
  replaces: string | undefined,
): Promise<Order> {
  try {
    return await authority.newOrder(hostname, replaces);
  } catch (error) {
    // RFC 9773, section 5: what is replaced is not asked for twice, or not by this account.
    const isAboutReplaced =
      replaces !== undefined &&
      error instanceof ProblemError &&
      ['alreadyReplaced', 'malformed', 'unauthorized'].includes(error.document.type);
    if (!isAboutReplaced) throw error;
    return authority.newOrder(hostname, undefined);
  }
}

/** The ARI name of the certificate that this one replaces, where the authority knows such things. */
async function replacedCertificate(
  { deps, row }: Attempt,
  authority: AuthorityClient,
): Promise<string | undefined> {
  if (row.kind === 'first' || authority.directory.renewalInfo === undefined) return undefined;
  if (row.directory_url !== deps.config.acme.directoryUrl) return undefined;
  return (await findCertificate(deps.db, row.domain_id))?.ari_id ?? undefined;
}

/**
 * The order of a process that died before it could write down where it is, from the account's list. Any more of
 * them for the name are given up. Where the authority has no list, it gives an open order again by itself.
 */
export async function findLostOrder(
  { row }: Pick<Attempt, 'row'>,
  authority: AuthorityClient,
): Promise<Order | undefined> {
  let found: Order | undefined;
  for (const url of (await authority.listOrders()).slice(-LISTED_ORDERS)) {
    const order = await authority.getOrder(url);
    const isForName =
      order.identifiers.length === 1 && order.identifiers[0]?.value === row.hostname;
    if (!isForName || (order.status !== 'pending' && order.status !== 'ready')) continue;
    if (found) await authority.abandon(order);
    else found = order;
  }
  return found;
}

/** The order under way. Rejects with OrderFailedError where the authority does not know it any more. */
export async function currentOrder(
  { deps, row }: Attempt,
  authority: AuthorityClient,
): Promise<Order> {
  const gone = (detail: string) =>
    new OrderFailedError({ type: 'orderGone', detail, at: deps.now() });
  if (row.order_url === null) throw gone('There is no order.');
  try {
    return await authority.getOrder(row.order_url);
  } catch (error) {
    if (error instanceof ProblemError && [403, 404].includes(error.document.status)) {
      throw gone(error.document.detail);
    }
    throw error;
  }
}

/** Asks for the certificate, unless that was done, and waits until it is made. */
export async function finalizeOrder(attempt: Attempt): Promise<boolean> {
  const { deps, row, signal } = attempt;
  const authority = await authorityOf(attempt);
  const order = await currentOrder(attempt, authority);
  if (order.status === 'pending') {
    await reach(attempt, 'challenge');
    return false;
  }
  if (order.status === 'ready') {
    await authority.finalize(order, row.hostname, keyOf(attempt));
  }
  const made = await poll(
    () => currentOrder(attempt, authority),
    ({ status }) => status === 'valid' || status === 'invalid',
    authority.pollAfter,
    signal,
  );
  if (made.status === 'invalid') throw orderFailed(made, deps.now());
  await reach(attempt, 'download');
  return false;
}

/** The private key that the certificate will have, in PEM. */
export function keyOf({ deps, row }: Attempt): string {
  if (row.sealed_key === null) throw new Error('an order has no key');
  return deps.sealer.open(row.sealed_key, certificateKeyContext(row.domain_id));
}

/** Why an order is invalid, as it says itself. */
export function orderFailed(order: Order, at: number): OrderFailedError {
  const { type, detail } = readProblem(order.error, 0);
  return new OrderFailedError({ type, detail, at });
}
