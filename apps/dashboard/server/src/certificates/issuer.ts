import { createAlarm } from '../jobs/alarm.ts';
import { isDeadWorker, workerName } from '../jobs/worker.ts';
import {
  changeLeasedIssuance,
  expediteUntried,
  type IssuanceRow,
  leaseIssuance,
  listLeasedIssuances,
} from '../store/issuances.ts';
import { openAccounts } from './account.ts';
import type { IssuerDeps } from './attempt.ts';
import { attemptCertificate } from './attempt-certificate.ts';
import { giveUpOrphans } from './give-up-orphans.ts';
import { askWhenToRenew, beginRenewals, warnOfExpiry } from './housekeeping.ts';

/** How long a certificate belongs to a process that says nothing more, in milliseconds. Renewed three times in that while. */
const LEASE_MS = 30_000;
const RENEW_LEASE_MS = 10_000;

/** How often it is looked for what other processes wish for, and what is due, in milliseconds. */
const POLL_MS = 1_000;

/** How often it is looked for renewals, and for certificates that end, in milliseconds. */
const RENEWALS_MS = 2_000;
const EXPIRY_MS = 10 * 60_000;

/** How soon after a start is tried again what was out of reach, in milliseconds: not at each of many restarts. */
const RETRIED_AFTER_START_MS = 20_000;

/** How many certificates are worked on at once: a wave of renewals is spread, and leaves the service its turn. */
const CONCURRENCY = 4;

export interface Issuer {
  /** A certificate is wanted: look now. */
  kick(): void;
  /** Gives back what is under way, for the next process, and ends. */
  stop(): Promise<void>;
}

/**
 * Has certificates issued and renewed for as long as the process lives. What `request-certificate.ts` wishes for
 * is in the store, with how far it came; any process may go on from there. Throws a UserError where ACME_CA_FILE
 * cannot be read.
 */
export function startIssuer(deps: IssuerDeps): Issuer {
  const { log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const accounts = openAccounts(deps, signal);
  const atWork = new Set<Promise<void>>();
  const alarm = createAlarm();

  const takeUp = async () => {
    while (!signal.aborted && atWork.size < CONCURRENCY) {
      const now = deps.now();
      // For each lease another: an attempt whose lease was lost writes nothing into the next one of this process.
      const worker = workerName();
      const row = await leaseIssuance(deps.db, worker, now, now + LEASE_MS);
      if (!row) return;
      const work = underLease(deps, worker, row, signal, (mine) =>
        attemptCertificate(deps, accounts, worker, row, mine),
      )
        // The store is away, say: what was leased is taken up again when its lease ends.
        .catch((error) => log.error({ err: error }, 'a certificate could not be worked on'))
        .finally(() => {
          atWork.delete(work);
          alarm.ring();
        });
      atWork.add(work);
    }
  };
  const renew = every(deps, RENEWALS_MS, async () => {
    if (await beginRenewals(deps)) alarm.ring();
    await giveUpOrphans(deps, accounts);
    await askWhenToRenew(deps, accounts, signal);
  });
  const warn = every(deps, EXPIRY_MS, () => warnOfExpiry(deps));

  /** Works, again and again, whatever goes wrong. */
  const repeat = async (...tasks: (() => Promise<void>)[]) => {
    while (!signal.aborted) {
      const rest = alarm.set();
      for (const task of tasks) {
        await task().catch((error) => {
          if (!signal.aborted) log.error({ err: error }, 'certificates cannot be worked on');
        });
      }
      await rest(POLL_MS);
    }
  };
  const loop = (async () => {
    await takeOverFromTheDead(deps).catch((error) => {
      // Then it takes until their leases end.
      log.warn({ err: error }, 'certificates of ended processes could not be taken over');
    });
    // An authority that was out of reach may be there again: a restart is often how that was mended.
    await expediteUntried(deps.db, deps.now() + RETRIED_AFTER_START_MS).catch((error) => {
      log.warn({ err: error }, 'certificates that wait could not be brought forward');
    });
    // Apart: an authority that does not say when to renew holds up no certificate.
    await Promise.all([repeat(takeUp), repeat(renew, warn)]);
    await Promise.all(atWork);
  })();

  return {
    kick: alarm.ring,
    async stop() {
      stopping.abort(new Error('the service stops'));
      alarm.ring();
      await loop;
      accounts.close();
    },
  };
}

/** Keeps the lease while the work goes on; its signal ends when the lease is lost or `stop` says so. */
async function underLease(
  { db, now }: IssuerDeps,
  worker: string,
  { domain_id }: IssuanceRow,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const renewal = setInterval(async () => {
    const change = { leased_until: now() + LEASE_MS };
    const isMine = await changeLeasedIssuance(db, domain_id, worker, change).catch(() => true);
    if (!isMine) lost.abort(new Error('the lease was lost'));
  }, RENEW_LEASE_MS);
  try {
    await work(AbortSignal.any([stop, lost.signal]));
  } finally {
    clearInterval(renewal);
  }
}

/** The work, but no more often than every so many milliseconds. A clock that was put back holds up nothing. */
function every({ now }: IssuerDeps, ms: number, work: () => Promise<void>): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY;
  return async () => {
    const since = now() - last;
    if (since >= 0 && since < ms) return;
    last = now();
    await work();
  };
}

/** Ends the leases of processes of this machine that are no more, so that their certificates go on at once. */
async function takeOverFromTheDead({ db }: IssuerDeps): Promise<void> {
  for (const { domain_id, leased_by } of await listLeasedIssuances(db)) {
    if (leased_by !== null && isDeadWorker(leased_by)) {
      await changeLeasedIssuance(db, domain_id, leased_by, { leased_by: null, leased_until: null });
    }
  }
}
