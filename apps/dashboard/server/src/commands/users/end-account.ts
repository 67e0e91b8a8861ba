import { print } from '@petstore/service/commands.ts';
import { count } from '@petstore/service/text.ts';
import type { Command } from 'commander';
import {
  disableAccount,
  type EndedAccess,
  enableAccount,
  removeAccount,
} from '../../accounts/account-life.ts';
import { OPERATOR } from '../../audit/actor.ts';
import { instant } from '../../schema-types.ts';
import type { UsedToken } from '../../store/tokens.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { EMAIL, userByEmail } from './user-by-email.ts';

export function disableCommand(): Command {
  return subcommand('users', 'disable')
    .description('End the sessions of an account and refuse its API tokens, until it is enabled.')
    .requiredOption(...EMAIL)
    .action(({ email }: { email: string }) =>
      withDatabase({ mustExist: true }, async (db) => {
        const user = await userByEmail(db, email);
        if (user.disabled_at !== null) return print(`${user.email} is disabled already.`);
        const ended = await disableAccount({ db, now: Date.now }, user, OPERATOR);
        const slugs = ended.ownerless.map(({ slug }) => slug).join(', ');
        await print(
          [
            `Disabled ${user.email}: ${count(ended.sessions, 'session')} ended, and its API tokens are refused.`,
            ...programsInWords(ended, 'are refused now'),
            ...(slugs === ''
              ? []
              : [`No owner of ${slugs} can sign in now; the owner of the installation can.`]),
          ].join('\n'),
        );
      }),
    );
}

export function enableCommand(): Command {
  return subcommand('users', 'enable')
    .description('Let a disabled account sign in again, and accept its API tokens.')
    .requiredOption(...EMAIL)
    .action(({ email }: { email: string }) =>
      withDatabase({ mustExist: true }, async (db) => {
        const user = await userByEmail(db, email);
        if (user.disabled_at === null) return print(`${user.email} is not disabled.`);
        await enableAccount({ db, now: Date.now }, user, OPERATOR);
        await print(`Enabled ${user.email}: it can sign in, and its API tokens are accepted.`);
      }),
    );
}

export function removeCommand(): Command {
  return subcommand('users', 'remove')
    .description(
      'Remove an account with its sessions and API tokens. The audit log keeps its name.',
    )
    .requiredOption(...EMAIL)
    .option('--hand-over-to <email>', 'who takes over the projects that would have no owner')
    .action((options: { email: string; handOverTo?: string }) =>
      withDatabase({ mustExist: true }, async (db) => {
        const user = await userByEmail(db, options.email);
        const heir = options.handOverTo && (await userByEmail(db, options.handOverTo));
        const handOverTo = heir ? heir.id : new Map<string, string>();
        const ended = await removeAccount({ db, now: Date.now }, user, { handOverTo }, OPERATOR);
        await print(
          [
            `Removed ${user.email}: ${count(ended.sessions, 'session')} ended, and its API tokens are revoked.`,
            ...ended.handedOver.map(({ project, to }) => `${to} owns ${project} now.`),
            ...programsInWords(ended, 'are revoked now'),
          ].join('\n'),
        );
      }),
    );
}

/** The programs that may miss their token. */
function programsInWords({ tokens }: EndedAccess, participle: string): string[] {
  if (tokens.length === 0) return [];
  return [`These API tokens were used in the last 30 days and ${participle}:`, ...tokens.map(line)];
}

function line({ name, projects, isForAll, lastUsedAt }: UsedToken): string {
  const where = projects.length > 0 ? `in ${projects.join(', ')}` : 'to read';
  return `  "${name}"${isForAll ? ' (all projects)' : ''}, used ${where}, last at ${instant(lastUsedAt)}`;
}
