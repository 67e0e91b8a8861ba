import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { addressChangedEmail } from '../../accounts/account-emails.ts';
import { handInstallationTo, setEmail } from '../../accounts/account-life.ts';
import { OPERATOR } from '../../audit/actor.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { tellByMail } from './tell-by-mail.ts';
import { EMAIL, userByEmail } from './user-by-email.ts';

export function emailCommand(): Command {
  return subcommand('users', 'set-email')
    .description('Give an account another address, and tell the old one where SMTP_URL is set.')
    .requiredOption(...EMAIL)
    .requiredOption('--to <email>', 'its new address (required)')
    .action(({ email, to }: { email: string; to: string }) =>
      withDatabase({ mustExist: true }, async (db, config) => {
        const user = await userByEmail(db, email);
        const changed = await setEmail({ db, now: Date.now }, user, to, OPERATOR);
        const done = `${user.email} has the address ${changed.email} now.`;
        if (changed.email === user.email) return print(`${user.email} has that address already.`);
        const change = { from: user.email, to: changed.email };
        const error = await tellByMail(config, (sender) => addressChangedEmail(change, sender));
        await print(error === undefined ? done : `${done} The old one could not be told: ${error}`);
      }),
    );
}

export function ownerCommand(): Command {
  return subcommand('users', 'make-owner')
    .description('Hand the installation to an account; the former owner keeps their projects.')
    .requiredOption(...EMAIL)
    .action(({ email }: { email: string }) =>
      withDatabase({ mustExist: true }, async (db) => {
        const user = await userByEmail(db, email);
        if (user.role === 'owner') return print(`${user.email} owns the installation already.`);
        await handInstallationTo({ db, now: Date.now }, user, OPERATOR);
        await print(`${user.email} owns the installation now.`);
      }),
    );
}
