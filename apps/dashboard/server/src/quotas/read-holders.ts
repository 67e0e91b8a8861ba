import { invalidCursor, readPage } from '../http/pagination.ts';
import { PLANS } from '../projects/project.ts';
import type { Page } from '../schema-types.ts';
import {
  type HolderQuery,
  listAccountHolders,
  listProjectHolders,
} from '../store/quota-holders.ts';
import { DEFAULT_TARGET, findQuota, ownedByPlan, planTarget } from '../store/quotas.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db } from '../store/schema.ts';
import { planOfAccount } from './bounds.ts';
import { QUOTA_NAMES, QUOTAS, type QuotaName } from './quota.ts';
import type { AccountQuotas, ProjectQuotas, QuotaDefault } from './quota-use.ts';
import { readAccountUse, readProjectUse } from './usage.ts';

/** What is set for everybody and for each plan, or holds there since nothing is. */
export async function readDefaults(db: Db): Promise<QuotaDefault[]> {
  const plans = Object.keys(PLANS) as Plan[];
  const asked = QUOTA_NAMES.flatMap((quota) => [null, ...plans].map((plan) => ({ quota, plan })));
  return Promise.all(asked.map(({ quota, plan }) => readDefault(db, quota, plan)));
}

async function readDefault(db: Db, quota: QuotaName, plan: Plan | null): Promise<QuotaDefault> {
  const { unit, of } = QUOTAS[quota];
  const target = plan === null ? DEFAULT_TARGET : planTarget(plan);
  const found = await findQuota(db, quota, [target, DEFAULT_TARGET]);
  const builtIn = quota === 'domains' && plan !== null ? PLANS[plan].customDomains : null;
  const isSet = found?.target === target;
  // What is set for everybody opens domains to no plan that has none.
  const inherited = found && builtIn !== 0 ? found.value : builtIn;
  return {
    ...{ quota, unit, of, plan, isSet },
    target: plan === null ? 'everybody' : target,
    most: isSet ? found.value : inherited,
  };
}

export interface HoldersQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Part of a name, an address or a slug. */
  readonly search?: string;
  readonly exceptions?: 'true' | 'false';
}

/** Accounts with what they use, those that hold the most first. */
export function readAccountHolders(db: Db, query: HoldersQuery): Promise<Page<AccountQuotas>> {
  return readPage(
    query,
    (after, limit) => listAccountHolders(db, holderQuery(query, after, limit)),
    ({ bytes, id }) => `${bytes} ${id}`,
    async ({ id, email, name }) => ({
      ...{ target: `account:${email}`, id, email, name },
      plan: planOfAccount(await ownedByPlan(db, id)),
      quotas: await readAccountUse(db, id),
    }),
  );
}

/** Projects with what they use, those that hold the most first. */
export function readProjectHolders(
  db: Db,
  query: HoldersQuery,
  now: number,
): Promise<Page<ProjectQuotas>> {
  return readPage(
    query,
    (after, limit) => listProjectHolders(db, holderQuery(query, after, limit)),
    ({ bytes, id }) => `${bytes} ${id}`,
    async (project) => {
      const { slug, name, plan } = project;
      const quotas = await readProjectUse(db, project, now);
      return { target: `project:${slug}`, slug, name, plan, quotas };
    },
  );
}

function holderQuery(
  { search, exceptions }: HoldersQuery,
  after: string | undefined,
  limit: number,
): HolderQuery {
  const wanted = plain(search ?? '');
  return {
    ...{ limit, after: positionOf(after) },
    isWanted: wanted === '' ? undefined : (names) => plain(names).includes(wanted),
    isExceptional: exceptions === 'true',
  };
}

function positionOf(position: string | undefined): HolderQuery['after'] {
  if (position === undefined) return undefined;
  const [, bytes, id] = /^(\d{1,15}) ([\w-]{1,100})$/.exec(position) ?? [];
  if (bytes === undefined || id === undefined) throw invalidCursor();
  return { bytes: Number(bytes), id };
}

/** Without case and accents. */
const plain = (text: string) => text.trim().normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
