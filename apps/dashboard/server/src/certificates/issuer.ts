import { type JobRunner, startJobRunner } from '../jobs/job-runner.ts';
import { isDeadWorker, underLease, workerName } from '../jobs/lease.ts';
import {
  changeLeasedIssuance,
  expediteUnreachable,
  leaseIssuance,
  listLeasedIssuances,
} from '../store/issuances.ts';
import { openAcmeAccounts } from './account.ts';
import { attemptCertificate } from './attempt-certificate.ts';
import type { IssuerDeps } from './issuance.ts';
import { abandonOrphanedOrders } from './order.ts';
import { askWhenToRenew, startRenewals, warnOfExpiry } from './renewal.ts';

/** How long a process has an issuance without renewing the lease, in milliseconds. It renews twice in that while. */
const LEASE_MS = 30_000;
const RENEW_LEASE_MS = 10_000;

/** How often the issuer looks for certificates to renew, and for certificates that expire, in milliseconds. */
const RENEWALS_MS = 2_000;
const EXPIRY_MS = 10 * 60_000;

/** How soon after a start issuances are retried whose authority was out of reach, in milliseconds: not at each of many restarts. */
const RETRIED_AFTER_START_MS = 20_000;

/** How many certificates are worked on at once: a wave of renewals is spread, and leaves the service its turn. */
const CONCURRENCY = 4;

/**
 * Has certificates issued and renewed for as long as the process lives. `request-certificate.ts` stores what is
 * wanted as an issuance, with its step: any process can lease it, and `attemptCertificate` goes on from that step.
 * Throws a UserError where ACME_CA_FILE cannot be read.
 */
export function startIssuer(deps: IssuerDeps): JobRunner {
  const { db, log, now } = deps;
  const stopping = new AbortController();
  const accounts = openAcmeAccounts(deps, stopping.signal);
  const prepared = prepare(deps);

  const issuances = startJobRunner({
    async take() {
      await prepared;
      // A name for each lease: an attempt that has lost its lease changes nothing under the next one of this process.
      const worker = workerName();
      const row = await leaseIssuance(db, worker, now(), now() + LEASE_MS);
      if (!row) return undefined;
      const renew = () =>
        changeLeasedIssuance(db, row.domain_id, worker, { leased_until: now() + LEASE_MS });
      return (stop) =>
        underLease(renew, RENEW_LEASE_MS, stop, (signal) =>
          attemptCertificate(deps, accounts, worker, row, signal),
        );
    },
    limit: CONCURRENCY,
    log,
    failureMessage: 'the next issuance could not be leased or processed',
  });

  // Apart from the issuances: an authority that does not say when to renew delays no certificate.
  const tasks = [
    every(deps, RENEWALS_MS, async (stop) => {
      if (await startRenewals(deps)) issuances.wake();
      await abandonOrphanedOrders(deps, accounts);
      await askWhenToRenew(deps, accounts, stop);
    }),
    every(deps, EXPIRY_MS, () => warnOfExpiry(deps)),
  ];
  const upkeep = startJobRunner({
    async take() {
      await prepared;
      for (const dueTask of tasks) {
        const task = dueTask();
        if (task) return task;
      }
      return undefined;
    },
    limit: 1,
    log,
    failureMessage: 'the renewals of certificates cannot be worked on',
  });

  return {
    wake() {
      issuances.wake();
      upkeep.wake();
    },
    async stop() {
      stopping.abort(new Error('the service stops'));
      await Promise.all([issuances.stop(), upkeep.stop()]);
      accounts.close();
    },
  };
}

/** Frees what ended processes have left, and retries soon what a restart may have mended. */
async function prepare({ db, log, now }: IssuerDeps): Promise<void> {
  try {
    for (const { domain_id, leased_by } of await listLeasedIssuances(db)) {
      if (leased_by === null || !isDeadWorker(leased_by)) continue;
      await changeLeasedIssuance(db, domain_id, leased_by, { leased_by: null, leased_until: null });
    }
  } catch (error) {
    // Then they wait until their leases end.
    log.warn({ err: error }, 'certificates of ended processes could not be taken over');
  }
  await expediteUnreachable(db, now() + RETRIED_AFTER_START_MS).catch((error) => {
    log.warn({ err: error }, 'waiting certificate orders could not be rescheduled');
  });
}

/** The work where it is due: no more often than every `ms` milliseconds. A clock that was put back delays nothing. */
function every({ now }: IssuerDeps, ms: number, work: (stop: AbortSignal) => Promise<void>) {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const since = now() - last;
    if (since >= 0 && since < ms) return undefined;
    last = now();
    return (stop: AbortSignal) =>
      work(stop).catch((error) => {
        if (!stop.aborted) throw error;
      });
  };
}
