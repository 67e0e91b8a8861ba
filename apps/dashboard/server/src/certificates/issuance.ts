import type { Deps } from '../deps.ts';
import { findCertifiable, findCertificate } from '../store/certificates.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { changeLeasedIssuance, type IssuanceChange, type IssuanceRow } from '../store/issuances.ts';
import type { Db, Trx } from '../store/schema.ts';
import type { ChallengeZone } from '../zone/challenge-zone.ts';
import type { AccountDeps, AcmeAccounts } from './account.ts';
import type { AcmeClient } from './acme-client.ts';

// An issuance is a certificate that is wanted or under way: a row of `issuances`, with the step that comes next.

/**
 * The steps, in order. The issuer stores each step before it sends the request to the authority, and the next one after
 * the response. When a process dies at any point, the next process repeats the step that is stored.
 */
export const STEPS = ['account', 'order', 'challenge', 'validate', 'finalize', 'download'] as const;
export type Step = (typeof STEPS)[number];

/** What the timeline says when a step is reached. */
export const STEP_MESSAGES: Readonly<Record<Step, string>> = {
  account: 'Connecting to the certificate authority.',
  order: 'Ordering a certificate.',
  challenge: 'The certificate authority accepted the order. Preparing the challenge.',
  validate: 'The certificate authority is validating the challenge.',
  finalize: 'The challenge is valid. Requesting the certificate.',
  download: 'The certificate is issued. Downloading it.',
};

/** Throws for an unknown step: only a newer version of the program can have stored it. */
export function stepOf(text: string): Step {
  const step = STEPS.find((known) => known === text);
  if (step === undefined) throw new Error(`${text} is not a step of an issuance`);
  return step;
}

export interface IssuerDeps extends AccountDeps, Pick<Deps, 'metrics' | 'siteChanged'> {
  /** Where authorities find the challenges of DNS-01; undefined: nowhere. */
  readonly zone?: ChallengeZone | undefined;
}

/** One process's work on an issuance, for as long as it has the lease. */
export interface Attempt {
  readonly deps: IssuerDeps;
  readonly accounts: AcmeAccounts;
  readonly worker: string;
  readonly projectId: string;
  /** Aborted when the process stops or the lease is lost. */
  readonly signal: AbortSignal;
  /**
   * As it was stored last, or is being stored; `order_url` also where it could not be stored, so that the order can be
   * abandoned.
   */
  row: IssuanceRow;
  /** Set by the last step. */
  isIssued: boolean;
}

/** Another process has the issuance by now, or nobody wants it: the attempt stores nothing more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

/**
 * The domain of an issuance whose certificate is wanted still; undefined otherwise: since the request the domain may have
 * been removed, the certificate issued, or the name led elsewhere. An old certificate serves until it expires then, and is
 * renewed when the name can be proven again.
 */
export async function findWanted(
  db: Db,
  { domain_id, kind, requested_at }: Pick<IssuanceRow, 'domain_id' | 'kind' | 'requested_at'>,
) {
  const domain = await findCertifiable(db, domain_id);
  if (!domain || !canBeProven(kind, domain)) return undefined;
  const certificate = await findCertificate(db, domain_id);
  const isIssued = certificate !== undefined && certificate.issued_at >= requested_at;
  return isIssued ? undefined : domain;
}

/** Whether the name leads here, or the record of its challenges does, as far as the last check knows. */
function canBeProven(
  kind: IssuanceRow['kind'],
  domain: NonNullable<Awaited<ReturnType<typeof findCertifiable>>>,
): boolean {
  if (domain.prepare === 1 && domain.challenge_here === 1) return true;
  return domain.awaits_move === 0 && (kind === 'first' || domain.moved_away_at === null);
}

/** The installation's account at the authority of this issuance. */
export function acmeClient({ accounts, row }: Attempt): Promise<AcmeClient> {
  return accounts.at(row.directory_url);
}

/**
 * Stores a change of the issuance. Rejects with LeaseLostError. A caller that changes more in the same transaction
 * locks the domain first.
 */
export async function recordProgress(
  attempt: Attempt,
  change: IssuanceChange,
  trx: Db = attempt.deps.db,
): Promise<void> {
  const { row, worker } = attempt;
  const isMine = await changeLeasedIssuance(trx, row.domain_id, worker, change);
  if (!isMine) throw new LeaseLostError('the lease of an issuance was lost');
  attempt.row = { ...row, ...change };
}

/**
 * Stores the step that comes next; it may be an earlier one. Shows it on the timeline, and does `also` in the same
 * transaction.
 */
export async function goToStep(
  attempt: Attempt,
  step: Step,
  change: IssuanceChange = {},
  also?: (trx: Trx) => Promise<void>,
): Promise<void> {
  const { deps, row } = attempt;
  const at = deps.now();
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    await recordProgress(attempt, { ...change, step, step_at: at }, trx);
    await also?.(trx);
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.step', STEP_MESSAGES[step], {
      step,
    });
  });
}
