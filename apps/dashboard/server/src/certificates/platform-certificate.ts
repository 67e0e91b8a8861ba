import type { AuthorityConfig } from '../config-acme.ts';
import type { Deps } from '../deps.ts';
import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { isDeadWorker, underLease, workerName } from '../jobs/lease.ts';
import { endOrder, PLATFORM } from '../store/acme-orders.ts';
import {
  changePlatformCertificate,
  leasePlatformCertificate,
  listPlatformCertificates,
  type PlatformCertificateChange,
  type PlatformCertificateRow,
} from '../store/platform-certificates.ts';
import type { ChallengeZone } from '../zone/challenge-zone.ts';
import { type AccountDeps, openAcmeAccounts, problemAtAuthority } from './account.ts';
import { OTHER_WAY_MS } from './backoff.ts';
import { OrderDeferredError } from './order.ts';
import { type PlatformCertificate, platformCertificates } from './platform-names.ts';
import {
  coversAll,
  obtainCertificate,
  type PlatformAttempt,
  type PlatformIssuerDeps,
} from './platform-order.ts';
import { takeRenewalInfo } from './platform-renewal.ts';
import { OrderFailedError, type Problem, parseProblem } from './problem.ts';

// The certificates of the installation's own names: the wildcard of its sites, which DNS-01 alone can prove, and those
// of `dashboard serve --domain`.

const LEASE_MS = 30_000;
const RENEW_LEASE_MS = 10_000;

/** How long to wait before the DNS is checked again, in milliseconds, where a name does not lead here yet. */
const LOOK_AGAIN_MS = 60_000;

/** The waits after failures, in milliseconds; the last one from then on. */
const RETRIES_MS = [5, 30, 120, 360, 720].map((minutes) => minutes * 60_000);

/** The wait for another order where one that an ended process had begun has failed: resolvers keep a failure for seconds. */
const LEFT_OVER_MS = 6_000;

/** The problem of DNS that does not lead the challenges into the zone, or a name to this machine. */
export const NOT_LED = 'challengeNotLed';

export interface PlatformIssuerOptions extends AccountDeps, Pick<Deps, 'siteChanged'> {
  readonly config: Deps['config'];
  /** undefined: there is no zone of its own. */
  readonly zone: ChallengeZone | undefined;
}

/**
 * Has the certificates of the installation's own names issued and renewed for as long as the process lives. Of several
 * processes on one database one works on a certificate. undefined where there is none to obtain.
 */
export function startPlatformIssuer(options: PlatformIssuerOptions): JobRunner | undefined {
  const { db, log, now, config, zone } = options;
  const certificates = platformCertificates(config);
  if (!zone || certificates.length === 0) return undefined;
  const deps: PlatformIssuerDeps = { ...options, zone };
  const stopping = new AbortController();
  const accounts = openAcmeAccounts(deps, stopping.signal);
  const prepared = prepare(deps, certificates);
  const runner = startJobRunner({
    async take() {
      await prepared;
      for (const certificate of certificates) {
        const job = await takeAttempt(certificate);
        if (job) return job;
      }
      return takeRenewalInfo(deps, accounts, certificates);
    },
    limit: 1,
    log,
    failureMessage: 'a certificate of the installation could not be worked on',
  });

  async function takeAttempt(certificate: PlatformCertificate) {
    const { hostname } = certificate;
    const worker = workerName();
    const lease = { worker, now: now(), until: now() + LEASE_MS };
    const row = await leasePlatformCertificate(db, hostname, lease);
    if (!row) return undefined;
    const change: PlatformAttempt['change'] = (next, trx) =>
      changePlatformCertificate(trx ?? db, hostname, worker, next);
    const renew = () => change({ leased_until: now() + LEASE_MS });
    const { authority } = nextTurn(config.acme.authorities, row, now());
    return (stop: AbortSignal) =>
      underLease(renew, RENEW_LEASE_MS, stop, async (signal) => {
        const attempt = { certificate, row, authority, accounts, change, signal };
        // At a stop the order is kept: the next process goes on with it.
        const next = await attemptPlatformCertificate(deps, attempt).catch((error) => {
          if (!signal.aborted) throw error;
          return {};
        });
        await change({ ...next, leased_by: null, leased_until: null });
      });
  }

  return {
    wake: runner.wake,
    async stop() {
      stopping.abort(new Error('the service stops'));
      await runner.stop();
      accounts.close();
    },
  };
}

/**
 * Frees what ended processes have left, and begins at once where a certificate lacks a name that it is to have, and where
 * the DNS did not lead here, or an authority refused: whoever starts the service anew has mended it, perhaps, or configured
 * another authority.
 */
async function prepare(
  { db, now, log, config }: PlatformIssuerDeps,
  certificates: readonly PlatformCertificate[],
): Promise<void> {
  try {
    for (const row of await listPlatformCertificates(db)) {
      const { hostname, leased_by, chain, last_problem, next_attempt_at } = row;
      if (leased_by !== null && !isDeadWorker(leased_by)) continue;
      const names = certificates.find((one) => one.hostname === hostname)?.names ?? [];
      const isShort = chain !== null && !coversAll(chain, names);
      const isRefused = Object.values(refusalsOf(row)).includes(next_attempt_at);
      const isDue = isShort || isRefused || parseProblem(last_problem)?.type === NOT_LED;
      const { at } = nextTurn(config.acme.authorities, row, now());
      await changePlatformCertificate(db, hostname, leased_by, {
        ...{ leased_by: null, leased_until: null },
        ...(isDue && { next_attempt_at: Math.min(at, next_attempt_at) }),
      });
    }
  } catch (error) {
    log.warn({ err: error }, 'certificates of the installation could not be taken over');
  }
}

/** Until when authorities are not to be asked, in milliseconds since 1970, by their directories. */
type Refusals = Readonly<Record<string, number>>;

/** The JSON of a certificate's `last_problem`. */
interface PlatformProblem extends Problem {
  readonly refusals?: Refusals;
}

function refusalsOf({ last_problem }: Pick<PlatformCertificateRow, 'last_problem'>): Refusals {
  const problem: PlatformProblem | undefined = parseProblem(last_problem);
  return problem?.refusals ?? {};
}

/**
 * Whose turn it is at an instant, or first after it. The authorities in their order, one after another: after a failure it
 * is the next one's turn. None is asked before its refusal is over.
 */
function nextTurn(
  authorities: readonly [AuthorityConfig, ...AuthorityConfig[]],
  row: Pick<PlatformCertificateRow, 'failures' | 'last_problem'>,
  at: number,
): { readonly authority: AuthorityConfig; readonly at: number } {
  const refusals = refusalsOf(row);
  return authorities
    .map((_, index) => {
      const turn = (row.failures + index) % authorities.length;
      const authority = authorities[turn] ?? authorities[0];
      return { authority, at: Math.max(at, refusals[authority.directoryUrl] ?? 0) };
    })
    .reduce((first, next) => (next.at < first.at ? next : first));
}

/**
 * One attempt at a certificate, and what is still to be stored of its end. Rejects where the store is unavailable, or at
 * a stop.
 */
async function attemptPlatformCertificate(
  deps: PlatformIssuerDeps,
  attempt: PlatformAttempt,
): Promise<PlatformCertificateChange> {
  const { db, now, log, siteChanged, config } = deps;
  const { certificate, row, authority, accounts, change, signal } = attempt;
  const notLed = await notLedYet(deps, attempt);
  signal.throwIfAborted();
  /** What is stored of a problem. `refusedUntil`: the authority is not to be asked before. */
  const waiting = (
    problem: Problem,
    pause: number,
    failures = row.failures,
    refusedUntil?: number,
  ) => {
    const refusal = refusedUntil !== undefined && { [authority.directoryUrl]: refusedUntil };
    const refusals = { ...refusalsOf(row), ...refusal };
    const next = { failures, last_problem: JSON.stringify({ ...problem, refusals }) };
    return { ...next, next_attempt_at: nextTurn(config.acme.authorities, next, now() + pause).at };
  };
  if (notLed !== undefined)
    return waiting({ type: NOT_LED, detail: notLed, at: now() }, LOOK_AGAIN_MS);
  try {
    await obtainCertificate(deps, attempt);
    siteChanged(PLATFORM);
    return {};
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OrderDeferredError) {
      const { until, message: detail } = error;
      const problem = { type: 'budget', detail, at: now() };
      // A limit of our own holds at every authority.
      if (!error.isOfAuthority) return waiting(problem, until - now());
      return waiting(problem, OTHER_WAY_MS, row.failures, until);
    }
    const { hostname } = certificate;
    log.warn({ err: error, hostname }, 'a certificate of the installation was not issued');
    // Of an ended process: the authority looked while the name server was gone with it.
    const isLeftOver = row.order_key !== null && error instanceof OrderFailedError;
    const failures = isLeftOver ? row.failures : row.failures + 1;
    const pause = isLeftOver
      ? LEFT_OVER_MS
      : (RETRIES_MS[Math.min(failures, RETRIES_MS.length) - 1] as number);
    const known = await problemAtAuthority(accounts, authority.directoryUrl, error, now());
    const problem = known ?? { type: 'failed', detail: String(error), at: now() };
    const next = {
      ...waiting(problem, pause, failures, problem.retryAt),
      ...{ key_authorization: null, order_url: null, order_key: null },
    };
    // In one transaction: else another process could go on with an order that is counted as failed already.
    await db.transaction().execute(async (trx) => {
      if (await change(next, trx)) await endOrder(trx, certificate.id, 'failed', now());
    });
    return {};
  }
}

/** Why the DNS does not lead a certificate's name here yet, as a sentence; undefined: it does. */
async function notLedYet(
  { zone }: PlatformIssuerDeps,
  { certificate: { host, label, needsZone }, signal }: PlatformAttempt,
): Promise<string | undefined> {
  if (await zone.isDelegated(host, label, signal)) return undefined;
  if (needsZone) return `_acme-challenge.${host} does not lead into the zone.`;
  return (await zone.leadsHere(host, signal))
    ? undefined
    : `${host} does not lead to this machine.`;
}
