import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { usedOf } from '../../quotas/usage.ts';
import { listQuotas, planOfTarget } from '../../store/quotas.ts';
import type { Db } from '../../store/schema.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { amountInWords } from './amount-in-words.ts';

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
    const ofProject = slug === null ? {} : { projectId: target };
    const of = email === null ? ofProject : { accountId: target };
    rows.push({
      quota,
      value,
      plan,
      email,
      slug,
      used: await usedOf(db, quota, of, Date.now()),
    });
  }
  return rows.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** By quota: for all, for plans, for single ones by their names. */
function placeOf({ quota, plan, email, slug }: SetQuota): string {
  const name = email ?? slug;
  return `${quota} ${name !== null ? `2 ${name}` : plan !== null ? `1 ${plan}` : '0'}`;
}

function inWords({ quota, value, plan, email, slug, used }: SetQuota): string {
  const whom = email ?? slug ?? (plan === null ? 'all' : `plan ${plan}`);
  const uses = used === null ? [] : [`${amountInWords(quota, used)} used`];
  return [quota, whom, amountInWords(quota, value), ...uses].join('\t');
}
