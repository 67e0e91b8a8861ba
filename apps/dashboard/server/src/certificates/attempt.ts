import type { Log } from '@petstore/service/log.ts';
import type { Transaction } from 'kysely';
import type { AcmeConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { recordDomainEvent } from '../store/domain-events.ts';
import { lockDomain } from '../store/domains.ts';
import { changeLeasedIssuance, type IssuanceChange, type IssuanceRow } from '../store/issuances.ts';
import type { Database } from '../store/schema.ts';
import type { Accounts } from './account.ts';
import type { AuthorityClient } from './acme/authority-client.ts';
import type { Sealer } from './sealing.ts';
import { STEP_MESSAGES, type Step } from './steps.ts';

export interface IssuerDeps extends Pick<Deps, 'db' | 'now' | 'siteChanged'> {
  readonly config: { readonly acme: AcmeConfig };
  readonly log: Log;
  readonly sealer: Sealer;
}

/** A process's work on one certificate, as long as the lease is its own. */
export interface Attempt {
  readonly deps: IssuerDeps;
  readonly accounts: Accounts;
  readonly worker: string;
  readonly projectId: string;
  /** Aborted when the process stops or the lease is lost. */
  readonly signal: AbortSignal;
  /** As it was written last. */
  row: IssuanceRow;
}

/** The certificate is another process's business by now, or nobody's: whatever was done for it is dropped. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}

export function authorityOf({ accounts, row }: Attempt): Promise<AuthorityClient> {
  return accounts.at(row.directory_url);
}

/**
 * Writes down how far it came. Rejects with LeaseLostError. Where more is changed in the same transaction, that
 * holds the domain first.
 */
export async function note(
  attempt: Attempt,
  change: IssuanceChange,
  trx: Transaction<Database> | IssuerDeps['db'] = attempt.deps.db,
): Promise<void> {
  const { row, worker } = attempt;
  const isMine = await changeLeasedIssuance(trx, row.domain_id, worker, change);
  if (!isMine) throw new LeaseLostError('the lease of an issuance was lost');
  attempt.row = { ...row, ...change };
}

/** Writes down the next step, and puts it on the timeline. `also` happens together with that or not at all. */
export async function reach(
  attempt: Attempt,
  step: Step,
  change: IssuanceChange = {},
  also?: (trx: Transaction<Database>) => Promise<void>,
): Promise<void> {
  const { deps, row } = attempt;
  const at = deps.now();
  await deps.db.transaction().execute(async (trx) => {
    await lockDomain(trx, row.domain_id);
    await note(attempt, { ...change, step, step_at: at }, trx);
    await also?.(trx);
    await recordDomainEvent(trx, row.domain_id, at, 'certificate.step', STEP_MESSAGES[step], {
      step,
    });
  });
}
