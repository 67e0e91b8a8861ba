import { X509Certificate } from 'node:crypto';
import type { AuthorityConfig } from '../config-acme.ts';
import type { Deps } from '../deps.ts';
import { zoneOf } from '../domains/hostname.ts';
import { endExemption, endOrder, insertOrder, PLATFORM } from '../store/acme-orders.ts';
import { rememberKey } from '../store/certificate-keys.ts';
import type {
  PlatformCertificateChange,
  PlatformCertificateRow,
} from '../store/platform-certificates.ts';
import type { Trx } from '../store/schema.ts';
import { recordSiteChange } from '../store/sites.ts';
import type { ChallengeZone } from '../zone/challenge-zone.ts';
import type { AccountDeps, AcmeAccounts } from './account.ts';
import type { AcmeClient, Authorization, Order } from './acme-client.ts';
import { ProblemError, readProblem } from './acme-transport.ts';
import { chooseChallenge } from './challenge.ts';
import { LeaseLostError } from './issuance.ts';
import {
  findLostOrder,
  OrderDeferredError,
  offeredProfile,
  orderFailed,
  orderReplacing,
  poll,
} from './order.ts';
import type { PlatformCertificate } from './platform-names.ts';
import { type ChallengeType, OrderFailedError, parseProblem, problemTypeOf } from './problem.ts';
import { deferredUntil, type PlannedOrder } from './rate-limits.ts';
import { renewalTime } from './renewal.ts';
import { certificateKeyContext, makePrivateKey, publicKeyHash } from './sealing.ts';

export interface PlatformIssuerDeps extends AccountDeps, Pick<Deps, 'siteChanged'> {
  readonly config: Deps['config'];
  readonly zone: ChallengeZone;
}

/** One process's work on a certificate, for as long as it has the lease. */
export interface PlatformAttempt {
  readonly certificate: PlatformCertificate;
  /** As it was leased. */
  readonly row: PlatformCertificateRow;
  readonly authority: AuthorityConfig;
  readonly accounts: AcmeAccounts;
  /** false where the lease is lost. */
  readonly change: (next: PlatformCertificateChange, trx?: Trx) => Promise<boolean>;
  /** Aborted when the process stops or the lease is lost. */
  readonly signal: AbortSignal;
}

/** Whether a chain's own certificate, in PEM, is for all of these names. */
export function coversAll(chain: string, names: readonly string[]): boolean {
  const leaf = new X509Certificate(chain);
  return names.every(
    (name) => leaf.checkHost(name, { subject: 'never', wildcards: false }) !== undefined,
  );
}

/**
 * Obtains a certificate and stores it. What a process that is killed has begun, the next one goes on with: the order's
 * key is stored before the order is made, and its address after it. Rejects with OrderDeferredError, with the errors of
 * AcmeClient, and with OrderFailedError.
 */
export async function obtainCertificate(
  deps: PlatformIssuerDeps,
  attempt: PlatformAttempt,
): Promise<void> {
  const { certificate, authority, accounts, change, signal } = attempt;
  const client = await accounts.at(authority.directoryUrl);
  const begun = await begunOrder(deps, attempt, client);
  const { key, order } = begun ?? (await newOrder(deps, attempt, client));
  if (order.status === 'pending') await prove(deps, attempt, client, order);
  const settled = async (is: readonly Order['status'][]) => {
    const read = () => client.getOrder(order.url);
    const found = await poll(read, ({ status }) => is.includes(status), client.pollAfter, signal);
    if (found.status === 'invalid') throw orderFailed(found, deps.now());
    return found;
  };
  const proven = await settled(['ready', 'processing', 'valid', 'invalid']);
  // Nobody has to look any more.
  await change({ key_authorization: null });
  if (proven.status === 'ready') {
    // A certificate in CT logs is recognized as ours by this key, even if its download fails.
    await rememberKey(deps.db, publicKeyHash(key), deps.now());
    await client.finalize(proven, certificate.hostname, key);
  }
  const chain = await client.download(await settled(['valid', 'invalid']));
  await install(deps, attempt, { chain, key, hasAri: client.directory.renewalInfo !== undefined });
}

interface PlacedOrder {
  readonly order: Order;
  /** The certificate's private key, in PEM. */
  readonly key: string;
}

/**
 * The order of an attempt that a stop or a crash has ended; undefined where there is none. Rejects with OrderFailedError
 * where it has failed since: the next one has to wait until resolvers have forgotten why.
 */
async function begunOrder(
  { sealer, now }: PlatformIssuerDeps,
  { row: { order_url, order_key }, certificate: { id, names }, change }: PlatformAttempt,
  client: AcmeClient,
): Promise<PlacedOrder | undefined> {
  if (order_key === null) return undefined;
  try {
    const order = await (order_url === null
      ? findLostOrder(client, names)
      : client.getOrder(order_url));
    if (!order) return undefined;
    if (order.status === 'invalid') throw orderFailed(order, now());
    if (order_url === null && !(await change({ order_url: order.url }))) throw lost();
    return { order, key: sealer.open(order_key, certificateKeyContext(id)) };
  } catch (error) {
    // The order belongs to an earlier account, or to another authority: a new one is placed.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** Counts an order, stores its key, and places it. */
async function newOrder(
  { db, now, sealer }: PlatformIssuerDeps,
  { certificate, row, authority, change }: PlatformAttempt,
  client: AcmeClient,
): Promise<PlacedOrder> {
  const { hostname, host, id, names } = certificate;
  const { directoryUrl, ordersPer3Hours } = authority;
  const kind = row.chain === null ? 'first' : 'renewal';
  const replaces = replacedCertificate(row, directoryUrl, client);
  const profile = offeredProfile(client, authority.profile);
  const key = await makePrivateKey();
  const planned: PlannedOrder = {
    ...{ directoryUrl, hostname, projectId: PLATFORM, kind, ordersPer3Hours },
    isExempt: replaces !== undefined,
  };
  await db.transaction().execute(async (trx) => {
    const deferred = await deferredUntil(trx, planned, now());
    if (deferred) throw new OrderDeferredError(deferred);
    const order_key = sealer.seal(key, certificateKeyContext(id));
    if (!(await change({ order_key, order_url: null }, trx))) throw lost();
    await insertOrder(trx, {
      ...{ directory_url: directoryUrl, hostname, registered_domain: zoneOf(host) },
      ...{ project_id: PLATFORM, domain_id: id, at: now() },
      is_renewal: kind === 'renewal' ? 1 : 0,
      is_exempt: planned.isExempt ? 1 : 0,
    });
  });
  const alsoFor = names.filter((name) => name !== hostname);
  const order = await orderReplacing(client, hostname, { alsoFor, replaces, profile }, () =>
    endExemption(db, id),
  );
  if (!(await change({ order_url: order.url }))) throw lost();
  return { order, key };
}

/** The ARI id of the certificate that the order replaces, where its own authority is asked (RFC 9773, section 5). */
function replacedCertificate(
  { ari_id, directory_url }: PlatformCertificateRow,
  directoryUrl: string,
  { directory }: AcmeClient,
): string | undefined {
  const isSame = directory_url === directoryUrl && directory.renewalInfo !== undefined;
  return isSame ? (ari_id ?? undefined) : undefined;
}

/** Shows the challenges of all names, and has the authority look at them. */
async function prove(
  { zone, now }: PlatformIssuerDeps,
  attempt: PlatformAttempt,
  client: AcmeClient,
  order: Order,
): Promise<void> {
  const { certificate, change, signal } = attempt;
  const read = () => client.authorizationsOf(order);
  const pending = (await read()).filter(({ status }) => status === 'pending');
  const usable = await usableChallenges(zone, attempt);
  const chosen = pending.map((authorization) => challengeOf(authorization, usable, attempt, now()));
  const shown = chosen.map((challenge) => client.keyAuthorization(challenge));
  if (!(await change({ key_authorization: shown.join(' ') }))) throw lost();
  if (usable[0] === 'dns-01')
    await Promise.all(shown.map((text) => zone.awaitShown(certificate.label, text, signal)));
  for (const challenge of chosen)
    if (challenge.status === 'pending') await client.respondToChallenge(challenge);
  const after = await poll(
    read,
    (all) => all.every(({ status }) => status !== 'pending'),
    (all) => all.map(client.pollAfter).find((wait) => wait !== undefined),
    signal,
  );
  const failed = after
    .flatMap(({ challenges }) => challenges)
    .find(({ error }) => error !== undefined);
  if (!failed) return;
  const { type, detail } = readProblem(failed.error ?? {}, 0);
  const problem = { type: problemTypeOf({ type, detail }), detail, at: now() };
  throw new OrderFailedError({ ...problem, challenge: failed.type as ChallengeType });
}

/** DNS-01 where the DNS leads the challenges into the zone; the configured ones for other names. */
async function usableChallenges(
  zone: ChallengeZone,
  { certificate: { host, label, needsZone }, authority, signal }: PlatformAttempt,
): Promise<readonly ChallengeType[]> {
  const isLed = needsZone || (await zone.isDelegated(host, label, signal));
  return isLed ? ['dns-01'] : authority.challenges;
}

function challengeOf(
  authorization: Authorization,
  usable: readonly ChallengeType[],
  { row }: PlatformAttempt,
  at: number,
) {
  const type = chooseChallenge(authorization, usable, parseProblem(row.last_problem));
  const challenge = authorization.challenges.find((offered) => offered.type === type);
  if (challenge) return challenge;
  const offered = authorization.challenges.map((one) => one.type).join(', ') || 'none';
  const detail = `It offers ${offered}; possible here: ${usable.join(', ')}.`;
  throw new OrderFailedError({ type: 'noChallenge', detail, at });
}

/** Checks a certificate and stores it. */
async function install(
  { db, now, sealer }: PlatformIssuerDeps,
  { certificate: { id, names }, authority, change }: PlatformAttempt,
  { chain, key, hasAri }: { chain: string; key: string; hasAri: boolean },
): Promise<void> {
  const { checkChain } = await import('./check-chain.ts');
  const [issued] = names.map((name) => checkChain(chain, name, key, now()));
  if (!issued) throw new Error('a certificate is for no name');
  const { issuer, serial, notBefore, notAfter } = issued;
  const ari_id = hasAri ? (issued.ariId ?? null) : null;
  const next = {
    ...{ chain, issuer, serial, not_before: notBefore, not_after: notAfter },
    ...{ failures: 0, last_problem: null, key_authorization: null },
    ...{ order_url: null, order_key: null },
    sealed_key: sealer.seal(key, certificateKeyContext(id)),
    next_attempt_at: renewalTime(issued, Math.random()),
    ...{ directory_url: authority.directoryUrl, ari_id },
    ari_check_at: ari_id === null ? null : now(),
  };
  // Edges read the change once the certificate is there.
  await db.transaction().execute(async (trx) => {
    if (!(await change(next, trx))) throw lost();
    await endOrder(trx, id, 'issued', now());
    await recordSiteChange(trx, PLATFORM, now());
  });
}

const lost = () => new LeaseLostError('the lease of a certificate of the installation was lost');
