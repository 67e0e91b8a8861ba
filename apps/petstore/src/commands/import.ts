import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import { parseInt64 } from '../int64.ts';
import { subcommand } from './subcommand.ts';

export function importCommand(): Command {
  return subcommand('import')
    .description('Add the animals of a file, a line of JSON each. Works beside the service.')
    .argument('<file>', 'file as `petstore export` writes it, or - for standard input')
    .option('--from-line <n>', 'go on at this line, after an import that was interrupted')
    .addHelpText(
      'after',
      `
A line with an id keeps it, and is left out where the same animal is there
already; a line without one is given a new id. Bad lines are reported, and
everything else is stored.

After an interruption: lines with ids can be imported again from the start. For
lines without, FILE.next-line holds the number to give to --from-line; it is
removed at the end of the file.`,
    )
    .action(async (file: string, options: { fromLine?: string }) => {
      const fromLine = readLineNumber(options.fromLine);
      const { importFile } = await import('./import-file.ts');
      await importFile(file, fromLine);
    });
}

function readLineNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = parseInt64(text);
  if (value === undefined || value < 1n || value > Number.MAX_SAFE_INTEGER) {
    throw new UserError(
      `--from-line must be the number of a line, from 1 on; got ${JSON.stringify(text)}.`,
    );
  }
  return Number(value);
}
