import { print } from '@petstore/service/commands.ts';
import { count } from '@petstore/service/text.ts';
import type { Command } from 'commander';
import { factorsResetEmail } from '../../accounts/factors/factor-emails.ts';
import { resetFactors } from '../../accounts/factors/remove-factor.ts';
import { OPERATOR } from '../../audit/actor.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { tellByMail } from './tell-by-mail.ts';
import { EMAIL, userByEmail } from './user-by-email.ts';

export function resetFactorsCommand(): Command {
  return subcommand('users', 'reset-factors')
    .description('Remove the passkeys, app and recovery codes of an account.')
    .requiredOption(...EMAIL)
    .action(({ email }: { email: string }) =>
      withDatabase({ mustExist: true }, async (db, config) => {
        const user = await userByEmail(db, email);
        const had = await resetFactors({ db, now: Date.now }, user, OPERATOR);
        const removed = [
          ...(had.passkeys > 0 ? [count(had.passkeys, 'passkey')] : []),
          ...(had.hadApp ? ['the authenticator app'] : []),
        ].join(' and ');
        const done =
          removed === ''
            ? `${user.email} had no second factor.`
            : `Removed ${removed} of ${user.email}, and ended its sessions. It signs in with its password alone until it has a new one.`;
        const error =
          removed === ''
            ? undefined
            : await tellByMail(config, (sender) => factorsResetEmail(user.email, sender));
        await print(error === undefined ? done : `${done} They could not be told: ${error}`);
      }),
    );
}
