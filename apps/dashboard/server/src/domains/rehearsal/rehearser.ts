import type { Log } from '@petstore/service/log.ts';
import { type JobRunner, startJobRunner } from '../../jobs/job-runner.ts';
import { isDeadWorker, underLease, workerName } from '../../jobs/lease.ts';
import {
  changeLeasedRehearsal,
  endRehearsal,
  freeRehearsal,
  leaseRehearsal,
  listLeasedRehearsals,
  type RehearsalRow,
} from '../../store/rehearsals.ts';
import type { RehearseDeps } from './rehearse.ts';

/** How long a process has a rehearsal without renewing the lease, in milliseconds. */
const LEASE_MS = 15_000;
/** As often the page shows how far it is. */
const RENEW_LEASE_MS = 2_000;

/** Rehearsals at the same time in a process: each waits for another site most of the time. */
const CONCURRENCY = 2;

/** How often one is begun whose process ended in the midst of it. */
const MAX_ATTEMPTS = 3;

/** How long one may take, in milliseconds: the crawl's minute, and as much again for each of the other parts. */
const TIMEOUT_MS = 240_000;

/** In letters: 500 addresses with titles and targets take a fifth. */
const MAX_RESULT = 2_000_000;

const GAVE_UP =
  'The dashboard was ended several times in the midst of the rehearsal. Start it again.';
const FAILED =
  'The rehearsal failed because of an error of the dashboard. Start it again; if that repeats, whoever runs the dashboard finds the reason in its log.';

/** Does the rehearsals that owners start, for as long as the process lives. */
export function startRehearser(deps: RehearseDeps & { log: Log }): JobRunner {
  const { db, log, now } = deps;
  const prepared = takeOver(deps);

  const run = async (row: RehearsalRow, worker: string, stop: AbortSignal) => {
    const { domain_id: domainId } = row;
    let pages = 0;
    const renew = () =>
      changeLeasedRehearsal(db, domainId, worker, {
        leased_until: now() + LEASE_MS,
        pages_seen: pages,
      });
    await underLease(renew, RENEW_LEASE_MS, stop, async (signal) => {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const onPages = (count: number) => {
        pages = count;
      };
      try {
        if (row.attempts > MAX_ATTEMPTS)
          return await endRehearsal(db, domainId, worker, now(), { problem: GAVE_UP });
        // Loaded here, with what reads HTML and writes YAML: few processes ever rehearse.
        const { rehearse } = await import('./rehearse.ts');
        const result = await rehearse(deps, domainId, onPages, AbortSignal.any([signal, timeout]));
        const text = result && JSON.stringify(result);
        if (text !== undefined && text.length > MAX_RESULT)
          throw new Error('the result is too large');
        await endRehearsal(db, domainId, worker, now(), {
          result: text ?? null,
          pages_seen: pages,
        });
      } catch (error) {
        // Another process has it now, or takes it at once.
        if (signal.aborted) return freeRehearsal(db, domainId, worker);
        log.error({ err: error, domain: domainId }, 'a rehearsal failed');
        const problem = timeout.aborted
          ? 'The rehearsal took too long, and was ended. Start it again when the old site answers faster.'
          : FAILED;
        await endRehearsal(db, domainId, worker, now(), { problem, pages_seen: pages });
      }
    });
  };

  return startJobRunner({
    async take() {
      await prepared;
      const worker = workerName();
      const row = await leaseRehearsal(db, worker, now(), now() + LEASE_MS);
      return row && ((stop) => run(row, worker, stop));
    },
    limit: CONCURRENCY,
    log,
    failureMessage: 'the rehearsals to do cannot be read',
  });
}

/** Frees what ended processes of this machine have left. */
async function takeOver({ db, log }: RehearseDeps & { log: Log }): Promise<void> {
  try {
    for (const { domain_id, leased_by } of await listLeasedRehearsals(db)) {
      if (leased_by !== null && isDeadWorker(leased_by))
        await freeRehearsal(db, domain_id, leased_by);
    }
  } catch (error) {
    log.warn({ err: error }, 'rehearsals of ended processes could not be taken over');
  }
}
