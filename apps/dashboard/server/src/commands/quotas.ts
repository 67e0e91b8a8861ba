import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Argument, type Command } from 'commander';
import { OPERATOR } from '../audit/actor.ts';
import { MAX_QUOTA, QUOTAS, type QuotaName } from '../quotas/quota.ts';
import { writeAudit } from '../store/audit.ts';
import { findProject } from '../store/projects.ts';
import { DEFAULT_TARGET, listQuotas, putQuota } from '../store/quotas.ts';
import type { Db } from '../store/schema.ts';
import { findUserByEmail } from '../store/users.ts';
import { projectNotFound } from './plan.ts';
import { subcommand } from './subcommand.ts';
import { withDatabase } from './with-database.ts';

const NAMES = Object.keys(QUOTAS) as QuotaName[];

export function quotasCommand(): Command {
  return subcommand('quotas')
    .description('Bound what accounts and projects may use, from the next request on.')
    .addCommand(listCommand())
    .addCommand(setCommand());
}

function listCommand(): Command {
  return subcommand('quotas', 'list')
    .description('List what is set.')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withDatabase({ mustExist: true }, listQuotas);
      if (json) return print(JSON.stringify(rows.map((row) => ({ ...row, value: +row.value }))));
      if (rows.length === 0) return print('No quota is set: plans alone bound what projects use.');
      await print(
        rows
          .map(({ quota, value, email, slug }) => `${quota}\t${email ?? slug ?? 'all'}\t${value}`)
          .join('\n'),
      );
    });
}

interface Target {
  readonly account?: string;
  readonly project?: string;
}

function setCommand(): Command {
  return subcommand('quotas', 'set')
    .description('Set a quota, for all or for one.')
    .addArgument(new Argument('<quota>', 'what to bound').choices(NAMES))
    .argument('<value>', 'a number, or none')
    .option('--account <email>', 'for this account alone')
    .option('--project <slug>', 'for this project alone')
    .addHelpText(
      'after',
      `
${NAMES.map((name) => `  ${name.padEnd(16)} ${QUOTAS[name].what}`).join('\n')}

What is set for one goes before what is set for all. What is there already stays,
also where it is more.

Examples:
  dashboard quotas set projects 5
  dashboard quotas set builds-per-hour 200 --project docs`,
    )
    .action(async (quota: QuotaName, text: string, given: Target) => {
      const value = readValue(text);
      await withDatabase({ mustExist: true }, async (db) => {
        const { id, name } = await findTarget(db, quota, given);
        const at = Date.now();
        await db.transaction().execute(async (trx) => {
          await putQuota(trx, quota, id, value);
          await writeAudit(trx, at, OPERATOR, {
            action: 'quota.set',
            ...(given.project !== undefined && { projectId: id }),
            target: quota,
            details: { value, for: name },
          });
        });
        const what = value === null ? 'not set any more' : `${value} now`;
        await print(`${quota} of ${name} is ${what}.`);
      });
    });
}

function readValue(text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UserError(
    `The value must be a number from 0 to ${MAX_QUOTA}, or none; got ${JSON.stringify(text)}.`,
  );
}

/** What the quota is set for. Throws UserError where it is not of such a thing, or there is none. */
async function findTarget(
  db: Db,
  quota: QuotaName,
  { account, project }: Target,
): Promise<{ id: string; name: string }> {
  const { of } = QUOTAS[quota];
  if (account !== undefined && project !== undefined) {
    throw new UserError('Name an account or a project, not both.');
  }
  if ((of === 'account' ? project : account) !== undefined) {
    throw new UserError(`${quota} is of each ${of}: use --${of}.`);
  }
  if (account !== undefined) {
    const user = await findUserByEmail(db, account.toLowerCase());
    if (!user) throw new UserError(`There is no account ${JSON.stringify(account)}.`);
    return { id: user.id, name: user.email };
  }
  if (project !== undefined) {
    const found = await findProject(db, project, null);
    if (!found) throw projectNotFound(project);
    return { id: found.project.id, name: project };
  }
  return { id: DEFAULT_TARGET, name: `all ${of}s` };
}
