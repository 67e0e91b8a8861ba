import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { Argument, type Command } from 'commander';
import { OPERATOR } from '../../audit/actor.ts';
import { PLANS } from '../../projects/project.ts';
import { amountsOf, readAmount } from '../../quotas/amount.ts';
import { QUOTA_NAMES, QUOTAS, type QuotaName } from '../../quotas/quota.ts';
import { type QuotaChange, setQuota } from '../../quotas/set-quota.ts';
import { type AskedTarget, findTarget } from '../../quotas/target.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { amountInWords } from './amount-in-words.ts';

interface Options {
  readonly plan?: string;
  readonly account?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const RULES = `
${QUOTA_NAMES.map((name) => `  ${name.padEnd(16)} ${QUOTAS[name].what}`).join('\n')}

The most specific wins: what is set for one account or project, for its plan, for
all. The plan of an account is the highest of the projects that it owns. What is
there already stays, also where it is more.
`;

export function setCommand(): Command {
  return withTarget(
    subcommand('quotas', 'set')
      .description('Set a quota, for all, for a plan or for one.')
      .addArgument(quotaArgument())
      .argument('<value>', 'a number, or bytes such as 500MB; unlimited; none: as remove'),
  )
    .addHelpText(
      'after',
      `${RULES}
Examples:
  dashboard quotas set projects 5
  dashboard quotas set bytes 200MB --plan free
  dashboard quotas set account-bytes 20GB --account ann@example.com
  dashboard quotas set builds-per-hour 200 --project docs`,
    )
    .action(async (quota: QuotaName, text: string, options: Options) => {
      const { change, json, words } = await applyChange(quota, readValue(quota, text), options);
      if (json)
        return print(
          JSON.stringify({ quota, for: words, value: text === 'none' ? 'none' : change }),
        );
      const what = change === 'unset' ? 'not set any more' : `${amountInWords(quota, change)} now`;
      await print(`${quota} of ${words} is ${what}.`);
    });
}

export function removeCommand(): Command {
  return withTarget(
    subcommand('quotas', 'remove')
      .description('Unset a quota: what is set for the plan, or for all, holds again.')
      .addArgument(quotaArgument()),
  )
    .addHelpText(
      'after',
      `
Examples:
  dashboard quotas remove bytes --project docs`,
    )
    .action(async (quota: QuotaName, options: Options) => {
      const { wasSet, json, words } = await applyChange(quota, 'unset', options);
      if (!wasSet) throw new UserError(`${quota} of ${words} is not set.`);
      if (json) return print(JSON.stringify({ quota, for: words, value: 'none' }));
      await print(`${quota} of ${words} is not set any more.`);
    });
}

const quotaArgument = () => new Argument('<quota>', 'what to bound').choices(QUOTA_NAMES);

const withTarget = (command: Command) =>
  command
    .option('--plan <plan>', `for this plan alone: ${Object.keys(PLANS).join(', ')}`)
    .option('--account <email>', 'for this account alone')
    .option('--project <slug>', 'for this project alone')
    .option('--json', 'print JSON, for scripts');

async function applyChange(quota: QuotaName, change: QuotaChange, options: Options) {
  const asked = askedTarget(options);
  return withDatabase({ mustExist: true }, async (db) => {
    const target = await findTarget(db, quota, asked);
    if ('problem' in target) {
      const { of } = QUOTAS[quota];
      const isOther = asked.kind !== 'everybody' && asked.kind !== 'plan' && asked.kind !== of;
      throw new UserError(isOther ? `${target.problem}: use --${of}.` : target.problem);
    }
    const wasSet = await setQuota({ db, now: Date.now }, quota, target, change, OPERATOR);
    return { wasSet, change, json: options.json, words: target.words };
  });
}

function askedTarget(options: Options): AskedTarget {
  const given = (['plan', 'account', 'project'] as const).flatMap((kind) => {
    const name = options[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  const [asked, second] = given;
  if (second) throw new UserError('Name a plan, an account or a project, and one of them alone.');
  return asked ?? { kind: 'everybody' };
}

function readValue(quota: QuotaName, text: string): QuotaChange {
  if (text === 'none') return 'unset';
  const amount = readAmount(quota, text);
  if (amount !== undefined) return amount;
  throw new UserError(
    `The value must be ${amountsOf(quota)}, or none; got ${JSON.stringify(text)}.`,
  );
}
