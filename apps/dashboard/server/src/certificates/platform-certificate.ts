import type { AuthorityConfig } from '../config-acme.ts';
import type { Deps } from '../deps.ts';
import { zoneOf } from '../domains/hostname.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { underLease, workerName } from '../jobs/lease.ts';
import { endOrder, insertOrder, PLATFORM } from '../store/acme-orders.ts';
import {
  changePlatformCertificate,
  leasePlatformCertificate,
  type PlatformCertificateChange,
  type PlatformCertificateRow,
} from '../store/platform-certificates.ts';
import { recordSiteChange } from '../store/sites.ts';
import type { ChallengeZone } from '../zone/challenge-zone.ts';
import { PLATFORM_LABEL, wildcardOf } from '../zone/zone-records.ts';
import { type AccountDeps, openAccounts } from './account.ts';
import type { AcmeClient, Order } from './acme-client.ts';
import { readProblem } from './acme-transport.ts';
import { offeredProfile, orderFailed, poll } from './order.ts';
import { OrderFailedError, type Problem, problemOf, problemTypeOf } from './problem.ts';
import { deferredUntil, type PlannedOrder } from './rate-limits.ts';
import { renewalTime } from './renewal.ts';
import { certificateKeyContext, makePrivateKey } from './sealing.ts';

// The wildcard certificate of the platform's own hosts, which DNS-01 alone can prove. There is one, so an attempt is
// one piece of work: a process that dies leaves an order that expires, and the next attempt begins anew.

const LEASE_MS = 30_000;
const RENEW_LEASE_MS = 10_000;

/** When the DNS is looked at again that does not lead the challenges into the zone, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/** The waits after failures, in milliseconds; the last one from then on. */
const RETRIES_MS = [5, 30, 120, 360, 720].map((minutes) => minutes * 60_000);

/** The problem of DNS that does not lead the challenges into the zone. */
export const NOT_LED = 'challengeNotLed';

export interface PlatformIssuerDeps extends AccountDeps, Pick<Deps, 'siteChanged'> {
  readonly config: Deps['config'];
  readonly zone: ChallengeZone;
}

/** Has the wildcard certificate issued and renewed for as long as the process lives. */
export function startPlatformIssuer(deps: PlatformIssuerDeps): JobRunner {
  const { db, log, now } = deps;
  const hostname = wildcardOf(deps.config.platformHost);
  const stopping = new AbortController();
  const accounts = openAccounts(deps, stopping.signal);
  const runner = startJobRunner({
    async take() {
      const worker = workerName();
      const lease = { worker, now: now(), until: now() + LEASE_MS };
      const row = await leasePlatformCertificate(db, hostname, lease);
      if (!row) return undefined;
      const change = (next: PlatformCertificateChange) =>
        changePlatformCertificate(db, hostname, worker, next);
      const renew = () => change({ leased_until: now() + LEASE_MS });
      return (stop) =>
        underLease(renew, RENEW_LEASE_MS, stop, async (signal) => {
          const authority = authorityFor(deps.config.acme.authorities, row);
          const client = () => accounts.at(authority.directoryUrl);
          const next = await attempt(deps, { row, authority, client, change, worker, signal });
          await change({ ...next, key_authorization: null, leased_by: null, leased_until: null });
        });
    },
    limit: 1,
    log,
    failureMessage: 'the wildcard certificate could not be worked on',
  });
  return {
    wake: runner.wake,
    async stop() {
      stopping.abort(new Error('the service stops'));
      await runner.stop();
      accounts.close();
    },
  };
}

/** The authorities in their order, one after another: after a failure it is the next one's turn. */
function authorityFor(
  authorities: readonly [AuthorityConfig, ...AuthorityConfig[]],
  { failures }: PlatformCertificateRow,
): AuthorityConfig {
  return authorities[failures % authorities.length] ?? authorities[0];
}

interface Work {
  readonly row: PlatformCertificateRow;
  readonly authority: AuthorityConfig;
  readonly client: () => Promise<AcmeClient>;
  readonly change: (next: PlatformCertificateChange) => Promise<boolean>;
  readonly worker: string;
  readonly signal: AbortSignal;
}

/** One attempt at the certificate, and what is stored of its end. Rejects where the store is away, or at a stop. */
async function attempt(deps: PlatformIssuerDeps, work: Work): Promise<PlatformCertificateChange> {
  const { db, config, now, zone, log } = deps;
  const { row, signal, authority } = work;
  const { hostname } = row;
  if (!(await zone.isDelegated(config.platformHost, PLATFORM_LABEL, signal))) {
    const detail = `_acme-challenge.${config.platformHost} does not lead into the zone.`;
    return waiting({ type: NOT_LED, detail, at: now() }, now() + LOOK_AGAIN_MS);
  }
  const { directoryUrl, ordersPer3Hours } = authority;
  const kind = row.chain === null ? 'first' : 'renewal';
  const planned: PlannedOrder = {
    ...{ directoryUrl, hostname, projectId: PLATFORM, kind, isExempt: false, ordersPer3Hours },
  };
  const deferred = await deferredUntil(db, planned, now());
  if (deferred) return waiting({ type: 'budget', detail: deferred.why, at: now() }, deferred.until);
  await db.transaction().execute((trx) =>
    insertOrder(trx, {
      ...{ directory_url: directoryUrl, hostname, registered_domain: zoneOf(config.platformHost) },
      ...{ project_id: PLATFORM, domain_id: PLATFORM, at: now() },
      is_renewal: kind === 'renewal' ? 1 : 0,
    }),
  );
  try {
    await obtain(deps, work);
    deps.siteChanged(PLATFORM);
    return {};
  } catch (error) {
    signal.throwIfAborted();
    await endOrder(db, PLATFORM, 'failed', now());
    log.warn({ err: error, hostname }, 'the wildcard certificate was not issued');
    const failures = row.failures + 1;
    const pause = RETRIES_MS[Math.min(failures, RETRIES_MS.length) - 1] as number;
    const problem = problemOf(error, now()) ?? { type: 'failed', detail: String(error), at: now() };
    return { ...waiting(problem, Math.max(now() + pause, problem.retryAt ?? 0)), failures };
  }
}

function waiting(problem: Problem, until: number): PlatformCertificateChange {
  return { last_problem: JSON.stringify(problem), next_attempt_at: until };
}

/** Orders, proves, fetches the certificate, and stores it. */
async function obtain(
  deps: PlatformIssuerDeps,
  { row: { hostname }, authority, client: connect, change, worker, signal }: Work,
): Promise<void> {
  const { db, now, sealer } = deps;
  const client = await connect();
  const key = await makePrivateKey();
  const profile = offeredProfile(client, authority.profile);
  const placed = await client.newOrder(hostname, { profile });
  if (placed.status === 'pending') await prove(deps, client, placed, { change, signal });
  const settled = async (is: readonly Order['status'][]) => {
    const read = () => client.getOrder(placed.url);
    const order = await poll(read, ({ status }) => is.includes(status), client.pollAfter, signal);
    if (order.status === 'invalid') throw orderFailed(order, now());
    return order;
  };
  const ready = await settled(['ready', 'valid', 'invalid']);
  if (ready.status === 'ready') await client.finalize(ready, hostname, key);
  const chain = await client.download(await settled(['valid', 'invalid']));
  const { checkChain } = await import('./check-chain.ts');
  const issued = checkChain(chain, hostname, key, now());
  const { issuer, serial, notAfter } = issued;
  const next = {
    ...{ chain, issuer, serial, not_after: notAfter, failures: 0, last_problem: null },
    sealed_key: sealer.seal(key, certificateKeyContext(PLATFORM)),
    next_attempt_at: renewalTime(issued, Math.random()),
  };
  // Edges read the change once the certificate is there.
  await db.transaction().execute(async (trx) => {
    if (!(await changePlatformCertificate(trx, hostname, worker, next)))
      throw new Error('The lease of the wildcard certificate was lost.');
    await endOrder(trx, PLATFORM, 'issued', now());
    await recordSiteChange(trx, PLATFORM, now());
  });
}

/** Shows the challenge in the zone, and has the authority look at it. */
async function prove(
  { zone, now }: PlatformIssuerDeps,
  client: AcmeClient,
  order: Order,
  { change, signal }: Pick<Work, 'change' | 'signal'>,
): Promise<void> {
  const read = async () => (await client.authorizationsOf(order))[0];
  const authorization = await read();
  if (authorization?.status !== 'pending') return;
  const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
  if (!challenge) {
    const offered = authorization.challenges.map(({ type }) => type).join(', ') || 'none';
    const detail = `It offers ${offered}, and a wildcard needs dns-01.`;
    throw new OrderFailedError({ type: 'noChallenge', detail, at: now() });
  }
  const keyAuthorization = await client.keyAuthorization(challenge);
  await change({ key_authorization: keyAuthorization });
  await zone.awaitShown(PLATFORM_LABEL, keyAuthorization, signal);
  await client.respondToChallenge(challenge);
  const after = await poll(
    read,
    (one) => one?.status !== 'pending',
    (one) => one && client.pollAfter(one),
    signal,
  );
  if (after?.status === 'valid') return;
  const failed = after?.challenges.find(({ error }) => error !== undefined);
  const { type, detail } = readProblem(failed?.error ?? {}, 0);
  const problem = { type: problemTypeOf({ type, detail }), detail, at: now() };
  throw new OrderFailedError({ ...problem, challenge: 'dns-01' });
}
