import { PLANS, type PlanLimits } from '../projects/project.ts';
import {
  DEFAULT_TARGET,
  findQuota,
  ownedByPlan,
  planOfTarget,
  planTarget,
} from '../store/quotas.ts';
import type { Plan } from '../store/schema/projects.ts';
import type { Db } from '../store/schema.ts';
import type { QuotaOf } from './quota.ts';

/** Where a bound comes from, the most specific first: `one` is the account or the project itself. */
type BoundOrigin = 'one' | 'plan' | 'everybody' | 'built-in' | 'nothing';

/** How much of something there may be; null: any number. */
export interface Bound {
  readonly most: number | null;
  readonly from: BoundOrigin;
}

/** A project; with null as its id any one on a plan for which nothing is set by itself. */
interface BoundedProject {
  readonly id: string | null;
  readonly plan: Plan;
}

const FREE: Bound = { most: null, from: 'nothing' };

/** What bounds a project: what is set for it, for its plan, or for everybody; of domains also what its plan has itself. */
export async function boundOfProject(
  db: Db,
  quota: QuotaOf<'project'>,
  { id, plan }: BoundedProject,
): Promise<Bound> {
  const own = id === null ? [] : [id];
  const found = await findBound(db, quota, [...own, planTarget(plan), DEFAULT_TARGET]);
  if (quota !== 'domains') return found ?? FREE;
  const most = PLANS[plan].customDomains;
  // What is set for everybody opens domains to no plan that has none.
  return !found || (found.from === 'everybody' && most === 0) ? { most, from: 'built-in' } : found;
}

/** All limits of a project. */
export async function limitsOfProject(db: Db, project: BoundedProject): Promise<PlanLimits> {
  const most = async (quota: QuotaOf<'project'>) => (await boundOfProject(db, quota, project)).most;
  return {
    ...PLANS[project.plan],
    customDomains: await most('domains'),
    bytes: await most('bytes'),
    buildsPerHour: await most('builds-per-hour'),
  };
}

/** Whether the plan of a project has custom domains, or a quota opens it to some. */
export async function mayHaveDomains(db: Db, project: BoundedProject): Promise<boolean> {
  const { most, from } = await boundOfProject(db, 'domains', project);
  return !(most === 0 && from === 'built-in');
}

/** What bounds an account: what is set for it, for its plan, or for everybody. */
export async function boundOfAccount(
  db: Db,
  quota: QuotaOf<'account'>,
  userId: string,
): Promise<Bound> {
  const plan = planOfAccount(await ownedByPlan(db, userId));
  return (await findBound(db, quota, [userId, planTarget(plan), DEFAULT_TARGET])) ?? FREE;
}

/** The plan of an account is the highest of the projects that it owns. */
export function planOfAccount(owned: readonly { readonly plan: Plan }[]): Plan {
  const ascending = Object.keys(PLANS) as Plan[];
  return ascending.findLast((plan) => owned.some((each) => each.plan === plan)) ?? 'free';
}

async function findBound(
  db: Db,
  quota: string,
  targets: readonly string[],
): Promise<Bound | undefined> {
  const row = await findQuota(db, quota, targets);
  if (!row) return undefined;
  const from =
    row.target === DEFAULT_TARGET
      ? 'everybody'
      : planOfTarget(row.target) === undefined
        ? 'one'
        : 'plan';
  return { most: row.value, from };
}
