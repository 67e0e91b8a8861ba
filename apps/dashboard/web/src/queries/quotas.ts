import { queryOptions } from '@tanstack/react-query';
import type { PlanLimits, Project } from '../../../server/src/projects/project.ts';
import type {
  AccountQuotas,
  ProjectQuotas,
  QuotaDefault,
  QuotaUse,
  RemovableDeploy,
} from '../../../server/src/quotas/quota-use.ts';
import { path } from '../api.ts';
import { list, pagedList } from './get.ts';
import { keys } from './keys.ts';

export const plansQuery = queryOptions({
  ...list<PlanLimits>(['plans'], '/plans'),
  staleTime: 600_000,
});

/** What is set for everybody and for plans. */
export const quotaDefaultsQuery = list<QuotaDefault>(
  [...keys.quotas, 'defaults'],
  '/installation/quotas',
);

/** Accounts or projects with what they use, those that hold the most first. */
export const quotaHoldersQuery = (
  of: 'accounts' | 'projects',
  search: string,
  onlyExceptions: boolean,
) =>
  pagedList<AccountQuotas | ProjectQuotas>(
    [...keys.quotas, of, search, `${onlyExceptions}`],
    `/installation/quotas/${of}?${new URLSearchParams({
      exceptions: `${onlyExceptions}`,
      ...(search !== '' && { search }),
    })}`,
  );

export const accountQuotasQuery = list<QuotaUse>(keys.accountQuotas, '/account/quotas');

/** What a project uses and may use. `latest`: its newest deploy, each state of which may change that. */
export const projectQuotasQuery = ({ slug, latest }: Pick<Project, 'slug' | 'latest'>) =>
  list<QuotaUse>(
    [...keys.projectQuotas(slug), latest ? `${latest.id} ${latest.state}` : ''],
    path`/projects/${slug}/quotas`,
  );

/** Deploys whose files may be removed, the oldest first. */
export const removableDeploysQuery = (slug: string) =>
  pagedList<RemovableDeploy>(
    [...keys.projectQuotas(slug), 'removable deploys'],
    path`/projects/${slug}/removable-deploys`,
  );
