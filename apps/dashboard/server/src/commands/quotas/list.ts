import { print } from '@petstore/service/commands.ts';
import { formatBytes } from '@petstore/service/text.ts';
import type { Command } from 'commander';
import { QUOTAS, type QuotaName } from '../../quotas/quota.ts';
import { readAccountUse, readProjectUse } from '../../quotas/usage.ts';
import { findProjectById } from '../../store/projects.ts';
import { listQuotas, planOfTarget } from '../../store/quotas.ts';
import type { Db } from '../../store/schema.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';

export function listCommand(): Command {
  return subcommand('quotas', 'list')
    .description('List what is set, with what each account and project uses of it.')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withDatabase({ mustExist: true }, readSet);
      if (json) return print(JSON.stringify(rows));
      if (rows.length === 0) return print('No quota is set: plans alone bound what projects use.');
      await print(rows.map(inWords).join('\n'));
    });
}

interface SetQuota {
  readonly quota: string;
  /** null: unlimited. */
  readonly value: number | null;
  /** Of these three one is not null, unless it is for everybody. */
  readonly plan: string | null;
  readonly email: string | null;
  readonly slug: string | null;
  /** null where it is for many. */
  readonly used: number | null;
}

async function readSet(db: Db): Promise<SetQuota[]> {
  const rows: SetQuota[] = [];
  for (const { quota, target, value, email, slug } of await listQuotas(db)) {
    const plan = planOfTarget(target) ?? null;
    rows.push({
      quota,
      value,
      plan,
      email,
      slug,
      used: await usedBy(db, quota, target, { email, slug }),
    });
  }
  return rows.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** By quota: for all, for plans, for single ones by their names. */
function placeOf({ quota, plan, email, slug }: SetQuota): string {
  const name = email ?? slug;
  return `${quota} ${name !== null ? `2 ${name}` : plan !== null ? `1 ${plan}` : '0'}`;
}

async function usedBy(
  db: Db,
  quota: string,
  target: string,
  { email, slug }: Pick<SetQuota, 'email' | 'slug'>,
): Promise<number | null> {
  const project = slug === null ? undefined : await findProjectById(db, target);
  const uses = project
    ? await readProjectUse(db, project, Date.now())
    : email === null
      ? []
      : await readAccountUse(db, target);
  return uses.find((use) => use.quota === quota)?.used ?? null;
}

function inWords({ quota, value, plan, email, slug, used }: SetQuota): string {
  const whom = email ?? slug ?? (plan === null ? 'all' : `plan ${plan}`);
  const uses = used === null ? [] : [`${amount(quota, used)} used`];
  return [quota, whom, value === null ? 'unlimited' : amount(quota, value), ...uses].join('\t');
}

const amount = (quota: string, value: number) =>
  QUOTAS[quota as QuotaName]?.unit === 'bytes' ? formatBytes(value) : `${value}`;
