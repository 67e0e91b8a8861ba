import type { Command } from 'commander';
import { createCommand } from './keys-create.ts';
import { listCommand } from './keys-list.ts';
import { revokeCommand } from './keys-revoke.ts';
import { rotateCommand } from './keys-rotate.ts';
import { subcommand } from './subcommand.ts';

export function keysCommand(): Command {
  return subcommand('keys')
    .description('Make, list, rotate and revoke API keys.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand());
}
