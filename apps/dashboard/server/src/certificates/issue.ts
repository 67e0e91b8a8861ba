import { findCertificate } from '../store/certificates.ts';
import { type Attempt, authorityOf, reach } from './attempt.ts';
import { startChallenge, validate } from './challenge.ts';
import { collect } from './collect.ts';
import { finalizeOrder, placeOrder } from './order.ts';
import { type Step, stepOf } from './steps.ts';

/** Does what a step stands for, and writes down the next one. Whether the certificate is there. */
type StepWork = (attempt: Attempt) => Promise<boolean>;

const WORK: Readonly<Record<Step, StepWork>> = {
  account: async (attempt) => {
    await authorityOf(attempt);
    await reach(attempt, 'order');
    return false;
  },
  order: placeOrder,
  challenge: startChallenge,
  validate,
  finalize: finalizeOrder,
  download: collect,
};

/**
 * Goes on with a certificate from the step that it is at until it is there. Rejects with what ended the attempt:
 * OrderFailedError, ProblemError, UnreachableError, HeldBackError, LeaseLostError, or the program's own.
 */
export async function issue(attempt: Attempt): Promise<void> {
  let isThere = false;
  while (!isThere) {
    attempt.signal.throwIfAborted();
    isThere = await WORK[stepOf(attempt.row.step)](attempt);
  }
}

/** Whether the certificate has come by another way since it was wanted. */
export async function isThereAlready({ deps, row }: Attempt): Promise<boolean> {
  const certificate = await findCertificate(deps.db, row.domain_id);
  return certificate !== undefined && certificate.issued_at >= row.requested_at;
}
