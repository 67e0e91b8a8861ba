import type { CertificateOutcome } from '../operations/job-metrics.ts';
import type { IssuanceChange, IssuanceRow } from '../store/issuances.ts';
import type { AcmeAccounts } from './account.ts';
import { authorityAt } from './authorities.ts';
import { startChallenge, validate } from './challenge.ts';
import { chooseAuthority, mayBeAsked } from './choose-authority.ts';
import { dropIssuance, endFailedAttempt } from './end-attempt.ts';
import { downloadCertificate, finalizeOrder } from './finalize.ts';
import {
  type Attempt,
  acmeClient,
  findWanted,
  goToStep,
  type IssuerDeps,
  LeaseLostError,
  recordProgress,
  type Step,
  stepOf,
} from './issuance.ts';
import { OrderDeferredError, placeOrder } from './order.ts';
import { situationOf } from './situation.ts';

/**
 * Does the steps of an issuance that `worker` has leased, and ends the lease. Rejects only where the store is
 * unavailable.
 */
export async function attemptCertificate(
  deps: IssuerDeps,
  accounts: AcmeAccounts,
  worker: string,
  row: IssuanceRow,
  signal: AbortSignal,
): Promise<void> {
  const domain = await findWanted(deps.db, row);
  const projectId = domain?.project_id ?? '';
  const attempt: Attempt = { deps, accounts, worker, signal, row, projectId, isIssued: false };
  const countOutcome = (outcome: CertificateOutcome) =>
    deps.metrics?.certificateAttempt(attempt.row.directory_url, outcome);
  if (!domain) return dropIssuance(attempt);
  try {
    const begin = await chooseDirectory(deps, row);
    if (begin) await recordProgress(attempt, begin);
    while (!attempt.isIssued) {
      signal.throwIfAborted();
      await DO_STEP[stepOf(attempt.row.step)](attempt);
    }
    countOutcome('issued');
  } catch (error) {
    // Another process has it, or goes on with it.
    if (!(error instanceof LeaseLostError || signal.aborted))
      countOutcome(error instanceof OrderDeferredError ? 'deferred' : 'failed');
    await endFailedAttempt(attempt, error);
  }
}

/**
 * Does a step and stores the next one. Rejects with what ends the attempt: OrderFailedError, ProblemError, UnreachableError, OrderDeferredError, LeaseLostError, or an error of the program.
 */
const DO_STEP: Readonly<Record<Step, (attempt: Attempt) => Promise<void>>> = {
  account: async (attempt) => {
    await acmeClient(attempt);
    await goToStep(attempt, 'order');
  },
  order: placeOrder,
  challenge: startChallenge,
  validate,
  finalize: finalizeOrder,
  download: downloadCertificate,
};

/**
 * Where an issuance without an order begins: where the last attempt left it, unless that authority may not be asked now.
 * An order at a directory that is no longer configured is given up.
 */
async function chooseDirectory(
  deps: IssuerDeps,
  row: IssuanceRow,
): Promise<IssuanceChange | undefined> {
  const { acme } = deps.config;
  const isConfigured = authorityAt(acme, row.directory_url) !== undefined;
  if (isConfigured && row.sealed_key !== null) return undefined;
  const situation = await situationOf(deps, row);
  const now = deps.now();
  const isStaging = row.directory_url === acme.stagingDirectoryUrl;
  const current = isStaging ? acme.authorities[0].directoryUrl : row.directory_url;
  if (isConfigured && mayBeAsked(current, situation, now)) return undefined;
  const { directoryUrl } = chooseAuthority(acme, situation, now);
  if (directoryUrl === current) return undefined;
  return { directory_url: directoryUrl, step: 'account', order_url: null, sealed_key: null };
}
