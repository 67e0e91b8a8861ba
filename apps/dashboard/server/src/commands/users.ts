import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { readEmail } from '../accounts/account-input.ts';
import { createUser, setPassword } from '../accounts/accounts.ts';
import { checkPassword, PASSWORD_COST } from '../accounts/passwords.ts';
import { checkPasswordsFor } from '../accounts/sign-in-rules.ts';
import { OPERATOR } from '../audit/actor.ts';
import { readConfig } from '../config.ts';
import { instant, instantOrNull } from '../schema-types.ts';
import { isUniqueViolation } from '../store/errors.ts';
import type { Db } from '../store/schema.ts';
import { listFactorsOfUsers } from '../store/security-policy.ts';
import { countValidTokens } from '../store/tokens.ts';
import { hasUsers, listUsers, type UserRow } from '../store/users.ts';
import { passwordFromStdin } from './password-from-stdin.ts';
import { subcommand } from './subcommand.ts';
import { emailCommand, ownerCommand } from './users/change-account.ts';
import { disableCommand, enableCommand, removeCommand } from './users/end-account.ts';
import { resetFactorsCommand } from './users/reset-factors.ts';
import { signInLinkCommand } from './users/sign-in-link.ts';
import { EMAIL, userByEmail } from './users/user-by-email.ts';
import { withDatabase } from './with-database.ts';

export function usersCommand(): Command {
  return subcommand('users')
    .description('Create, change, disable and remove accounts, and list them.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(passwordCommand())
    .addCommand(resetFactorsCommand())
    .addCommand(emailCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(removeCommand())
    .addCommand(ownerCommand())
    .addCommand(signInLinkCommand());
}

const PASSWORD_STDIN = [
  '--password-stdin',
  'read the password from standard input (required)',
] as const;

function createCommand(): Command {
  return subcommand('users', 'create')
    .description('Create an account. The first one owns the installation.')
    .requiredOption(...EMAIL)
    .option('--name <name>', 'the name of the person')
    .requiredOption(...PASSWORD_STDIN)
    .option('--provisional', 'the first sign-in asks for an address and a password of their own')
    .action(async (options: { email: string; name?: string; provisional?: boolean }) => {
      const email = readEmail(options.email);
      const password = await readPassword();
      await withDatabase({ mustExist: false }, async (db) => {
        const name = options.name ?? email.replace(/@.*$/, '');
        const user = await createFirstOrNext(db, {
          ...{ email, password, name },
          isProvisional: options.provisional ?? false,
        });
        if (!user) {
          throw new UserError(
            `${email} has an account already. \`dashboard users set-password\` sets another password.`,
          );
        }
        const what = user.role === 'owner' ? 'owns the installation' : 'can sign in';
        await print(`Created the account ${email} (${user.id}); it ${what}.`);
      });
    });
}

/** Creates an account; undefined where the address has one. Of two created at once, one becomes the first. */
async function createFirstOrNext(
  db: Db,
  input: { email: string; password: string; name: string; isProvisional: boolean },
): Promise<UserRow | undefined> {
  for (const isFirst of (await hasUsers(db)) ? [false] : [true, false]) {
    try {
      return await createUser(
        { db, now: Date.now, passwordCost: PASSWORD_COST },
        { ...input, isFirst },
        OPERATOR,
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
  return undefined;
}

function listCommand(): Command {
  return subcommand('users', 'list')
    .description('List the accounts, and who has a second factor.')
    .option('--json', 'print JSON, for scripts')
    .action(async ({ json }: { json?: boolean }) => {
      const [users, factors] = await withDatabase({ mustExist: true }, (db) =>
        Promise.all([listUsers(db), listFactorsOfUsers(db)]),
      );
      const rows = users.map(
        ({ id, email, name, role, created_at, disabled_at, last_seen_at }) => ({
          ...{ id, email, name, role },
          createdAt: instant(created_at),
          disabledAt: instantOrNull(disabled_at),
          lastSeenAt: instantOrNull(last_seen_at),
          secondFactors: factors.get(id) ?? [],
        }),
      );
      if (json) return print(JSON.stringify(rows));
      const lines = rows.map(
        ({ email, name, role, createdAt, disabledAt, secondFactors }) =>
          `${createdAt}  ${role.padEnd(5)}  ${email}  ${name}${disabledAt ? '  (disabled)' : ''}${secondFactors.length > 0 ? `  (second factor: ${secondFactors.map((factor) => factor.replace('_', ' ')).join(', ')})` : ''}`,
      );
      return print(lines.length > 0 ? lines.join('\n') : 'No accounts yet.');
    });
}

function passwordCommand(): Command {
  return subcommand('users', 'set-password')
    .description("Set an account's password, when it was forgotten, and end its sessions.")
    .requiredOption(...EMAIL)
    .requiredOption(...PASSWORD_STDIN)
    .option('--revoke-tokens', 'revoke its API tokens, too, which go on working otherwise')
    .action(async ({ email, revokeTokens = false }: { email: string; revokeTokens?: boolean }) => {
      const password = await readPassword();
      await withDatabase({ mustExist: true }, async (db) => {
        const deps = { db, now: Date.now, passwordCost: PASSWORD_COST };
        const user = await userByEmail(db, email);
        checkPasswordsFor(readConfig(process.env), user.email);
        const count = await countValidTokens(db, user.id, deps.now());
        await setPassword(deps, user, password, OPERATOR, { revokeTokens });
        const done = `Set the password of ${user.email} and ended its sessions`;
        const tokens = `${count} API token${count === 1 ? '' : 's'}`;
        if (count === 0) return print(`${done}. It has no API tokens.`);
        if (revokeTokens) return print(`${done} and ${tokens}.`);
        return print(`${done}. ${tokens} of it still work: --revoke-tokens ends them, too.`);
      });
    });
}

async function readPassword(): Promise<string> {
  const password = await passwordFromStdin();
  checkPassword(password);
  return password;
}
