import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { type Command, Option } from 'commander';
import type { SiteAccess, SiteAccessChange } from '../site-access/site-access.ts';
import { clientOfEnvironment } from './deploy/client-of-environment.ts';
import { passwordFromStdin } from './password-from-stdin.ts';
import { subcommand } from './subcommand.ts';

interface Options {
  readonly project: string;
  readonly private?: SiteAccess['private'];
  readonly accounts?: 'everyone' | 'members';
  readonly passwordStdin?: boolean;
  /** false: --no-password. */
  readonly password?: false;
  readonly signEveryoneOut?: boolean;
  readonly json?: boolean;
}

const PRIVATE = ['nothing', 'previews', 'everything'] as const;

/** A pipeline makes previews private, or closes a site, without a browser. */
export function accessCommand(): Command {
  return subcommand('access')
    .description("Show who may read a project's sites, and change it: with no option it shows.")
    .requiredOption('--project <slug>', 'the project of the sites (required)')
    .addOption(new Option('--private <what>', 'what only readers may see').choices(PRIVATE))
    .addOption(
      new Option('--accounts <who>', 'which accounts may read, besides chosen groups').choices([
        'members',
        'everyone',
      ]),
    )
    .option('--password-stdin', 'read a shared password from standard input, and set it')
    .option('--no-password', 'remove the shared password')
    .option('--sign-everyone-out', 'end the sessions of all readers')
    .option('--json', 'print JSON, for scripts')
    .action(async (options: Options) => {
      const { project, json } = options;
      if (options.passwordStdin && options.password === false)
        throw new UserError('Choose one of --password-stdin and --no-password.');
      const client = clientOfEnvironment(process.env);
      const given = options.passwordStdin ? await passwordFromStdin() : undefined;
      const before = await client.readAccess(project);
      // A password first: what becomes private has it from its first moment on.
      if (given !== undefined) await client.setSitePassword(project, given);
      const change: SiteAccessChange = {
        ...(options.private && { private: options.private }),
        ...(options.accounts && { everyone: options.accounts === 'everyone' }),
      };
      if (Object.keys(change).length > 0) await client.changeAccess(project, change);
      if (options.password === false && before.password !== null)
        await client.removeSitePassword(project);
      // What was changed holds for those who sign in from here on.
      if (options.signEveryoneOut) await client.endSiteSessions(project);
      const access = await client.readAccess(project);
      await print(json ? JSON.stringify(access) : inWords(access));
    });
}

function inWords(access: SiteAccess): string {
  const { everyone, groups, password, keys, sessions } = access;
  const accounts = everyone
    ? 'everyone with an account'
    : ['members of the project', ...groups.map(({ name }) => name)].join(', ');
  return [
    `Private:   ${access.private}`,
    `Accounts:  ${accounts}`,
    `Password:  ${password ? `set ${password.setAt}` : 'none'}`,
    `Keys:      ${keys.map(({ kid }) => kid).join(', ') || 'none'}`,
    `Sessions:  ${sessions}`,
  ].join('\n');
}
