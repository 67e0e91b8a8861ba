import type { Command } from 'commander';
import { listCommand } from './quotas/list.ts';
import { recountCommand } from './quotas/recount.ts';
import { removeCommand, setCommand } from './quotas/set.ts';
import { subcommand } from './subcommand.ts';

export function quotasCommand(): Command {
  return subcommand('quotas')
    .description('Bound what accounts and projects may use, from the next request on.')
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(removeCommand())
    .addCommand(recountCommand());
}
