import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { pino } from 'pino';
import { handInstallationTo, setEmail } from '../../accounts/account-life.ts';
import { openAccountMail } from '../../accounts/account-mail.ts';
import { emailChangedLetter } from '../../accounts/letters.ts';
import { addressesOf } from '../../addresses.ts';
import { OPERATOR } from '../../audit/actor.ts';
import type { Config } from '../../config.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
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
        const error = await tell(config, { from: user.email, to: changed.email });
        await print(error === undefined ? done : `${done} The old one could not be told: ${error}`);
      }),
    );
}

/** Why the old address could not be told; undefined where it was, or where there is no mail. */
async function tell(
  config: Config,
  change: { from: string; to: string },
): Promise<string | undefined> {
  if (!config.mail) return undefined;
  const log = pino({ level: 'silent' });
  const mail = openAccountMail(config.mail, { now: Date.now, log });
  const ports = { dashboard: config.port, edge: 0, edgeHttps: 0 };
  return mail.send(emailChangedLetter(change, addressesOf(config, ports)));
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
