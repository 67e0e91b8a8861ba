import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { makeSignInLink } from '../../accounts/sign-in-links.ts';
import { addressesOf } from '../../addresses.ts';
import { OPERATOR } from '../../audit/actor.ts';
import { readConfig } from '../../config.ts';
import { subcommand } from '../subcommand.ts';
import { withDatabase } from '../with-database.ts';
import { EMAIL, userByEmail } from './user-by-email.ts';

/** The way in where a provider is required and does not work, or nobody is linked with it yet. */
export function signInLinkCommand(): Command {
  return subcommand('users', 'sign-in-link')
    .description('Print a link that signs someone in once, within ten minutes.')
    .requiredOption(...EMAIL)
    .action(async ({ email }: { email: string }) => {
      const config = readConfig(process.env);
      if (config.publicUrl === undefined && config.port === 0) {
        throw new UserError(
          'Set DASHBOARD_PUBLIC_URL to the address of the dashboard, which is not known here.',
        );
      }
      const ports = { dashboard: config.port, edge: 0, edgeHttps: 0 };
      await withDatabase({ mustExist: true }, async (db) => {
        const user = await userByEmail(db, email);
        const deps = { db, now: Date.now, addresses: () => addressesOf(config, ports) };
        const { link } = await makeSignInLink(deps, user, OPERATOR);
        await print(link);
      });
    });
}
