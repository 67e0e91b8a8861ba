import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { checkBranch } from '../deploys/branch-name.ts';
import { clientOfEnvironment } from './deploy/client-of-environment.ts';
import { subcommand } from './subcommand.ts';

export function previewsCommand(): Command {
  return subcommand('previews')
    .description('List the previews of branches, and end them.')
    .addCommand(listCommand())
    .addCommand(deleteCommand());
}

const PROJECT = ['--project <slug>', 'the project of the previews (required)'] as const;

function listCommand(): Command {
  return subcommand('previews', 'list')
    .description('List the previews of branches with their addresses, the latest deployed first.')
    .requiredOption(...PROJECT)
    .option('--json', 'print JSON, for scripts')
    .action(async ({ project, json }: { project: string; json?: boolean }) => {
      const previews = await clientOfEnvironment(process.env).listPreviews(project);
      if (json) return print(JSON.stringify(previews));
      const lines = previews.map(
        ({ branch, url, deployedAt }) => `${deployedAt}  ${url}  ${branch}`,
      );
      return print(lines.length > 0 ? lines.join('\n') : 'No previews of branches.');
    });
}

function deleteCommand(): Command {
  return subcommand('previews', 'delete')
    .description('End the preview of a branch. Another deploy of the branch opens it again.')
    .argument('<branch>', 'name of the branch')
    .requiredOption(...PROJECT)
    .action(async (branch: string, { project }: { project: string }) => {
      checkBranch(branch);
      await clientOfEnvironment(process.env).deletePreview(project, branch);
      await print(`Ended the preview of ${branch}.`);
    });
}
