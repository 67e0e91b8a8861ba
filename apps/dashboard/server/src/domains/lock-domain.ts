import { notFound } from '../api-error.ts';
import type { Deps } from '../deps.ts';
import { type DomainRow, lockDomain } from '../store/domains.ts';
import type { Trx } from '../store/schema.ts';

/** What changes of domains need. */
export type DomainDeps = Pick<
  Deps,
  'db' | 'now' | 'config' | 'addresses' | 'siteChanged' | 'domainsChanged'
>;

/** Locks a domain until the transaction ends. Throws ApiError where it was removed. */
export async function lockOrThrow(trx: Trx, id: string): Promise<DomainRow> {
  const domain = await lockDomain(trx, id);
  if (!domain || domain.removed_at !== null) throw notFound('domain');
  return domain;
}
