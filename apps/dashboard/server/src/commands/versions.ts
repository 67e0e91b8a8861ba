import { print } from '@petstore/service/commands.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { checkVersion } from '../deploys/versions/version-name.ts';
import { clientOfEnvironment } from './deploy/client-of-environment.ts';
import { subcommand } from './subcommand.ts';

export function versionsCommand(): Command {
  return subcommand('versions')
    .description("List the versions of a project's site, choose the default one, and retire them.")
    .addCommand(listCommand())
    .addCommand(defaultCommand())
    .addCommand(retireCommand());
}

const PROJECT = ['--project <slug>', 'the project of the versions (required)'] as const;

function listCommand(): Command {
  return subcommand('versions', 'list')
    .description('List versions with their addresses, the newest first, retired ones last.')
    .requiredOption(...PROJECT)
    .option('--json', 'print JSON, for scripts')
    .action(async ({ project, json }: { project: string; json?: boolean }) => {
      const versions = await clientOfEnvironment(process.env).listVersions(project);
      if (json) return print(JSON.stringify(versions));
      const width = Math.max(...versions.map(({ version }) => version.length));
      const lines = versions.map(
        ({ version, state, url }) => `${version.padEnd(width)}  ${state.padEnd(7)}  ${url}`,
      );
      return print(lines.length > 0 ? lines.join('\n') : 'No versions.');
    });
}

interface DefaultOptions {
  readonly project: string;
  readonly unversioned?: boolean;
}

function defaultCommand(): Command {
  return subcommand('versions', 'default')
    .description("Choose the version that the site's address leads to.")
    .argument('[version]', 'name of the version')
    .requiredOption(...PROJECT)
    .option('--unversioned', 'what is deployed without a version, in place of one')
    .action(async (version: string | undefined, { project, unversioned }: DefaultOptions) => {
      if ((version === undefined) !== (unversioned === true))
        throw new UserError('Name one version, or --unversioned: `dashboard versions default v2`.');
      const client = clientOfEnvironment(process.env);
      if (version !== undefined) {
        checkVersion(version);
        await client.changeDefault(project, version, true);
        return print(`${version} is the default version.`);
      }
      const { defaultVersion } = await client.readProject(project);
      if (defaultVersion !== null) await client.changeDefault(project, defaultVersion, false);
      return print("The site's address shows what is deployed without a version.");
    });
}

function retireCommand(): Command {
  return subcommand('versions', 'retire')
    .description(
      'Retire a version: its addresses redirect to the default one. Another deploy of it takes it up again.',
    )
    .argument('<version>', 'name of the version')
    .requiredOption(...PROJECT)
    .action(async (version: string, { project }: { project: string }) => {
      checkVersion(version);
      await clientOfEnvironment(process.env).retireVersion(project, version);
      await print(`Retired ${version}.`);
    });
}
