import { interruption } from '@petstore/service/interruption.ts';
import { showProgress } from '@petstore/service/progress.ts';
import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import type { BulkPetStore } from '../store/contract/pet-store.ts';
import { subcommand } from './subcommand.ts';
import { withStore } from './with-store.ts';
import { writeToStdout } from './write-fully.ts';

/** Animals that are read and written at once. */
const ROWS = 1_000;

const STDOUT = '-';

export function exportCommand(): Command {
  return subcommand('export')
    .description('Write every animal to a file, a line of JSON each. Works beside the service.')
    .argument('<file>', 'file to make, or - for standard output')
    .option('--force', 'replace the file if it is there')
    .addHelpText(
      'after',
      `
The file is written as FILE.partial and renamed when it is whole. An export that
was interrupted goes on where it stopped when it is started again.`,
    )
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      await withStore({ mustExist: true }, ({ pets }) =>
        file === STDOUT ? toStdout(pets) : toFile(pets, file, force),
      );
    });
}

async function toStdout(pets: BulkPetStore): Promise<void> {
  await writeAll(pets, undefined, writeToStdout);
}

async function toFile(pets: BulkPetStore, path: string, force: boolean): Promise<void> {
  const { PartialFile } = await import('./partial-file.ts');
  const file = await PartialFile.open(path, { force });
  try {
    if (file.last && (await pets.get(file.last.id)) !== file.last.text) {
      throw new UserError(
        `${file.partialPath} cannot be continued: its last animal differs from the one in this store. Move the file away, or export to another one.`,
      );
    }
    const isWhole = await writeAll(pets, file.last?.id, (text) => file.write(text));
    if (isWhole) await file.finish({ force });
    else process.stderr.write('Run the same command again to continue.\n');
  } finally {
    await file.close();
  }
}

/** Writes the animals after an id, in order. Tells whether it came to the end. */
async function writeAll(
  pets: BulkPetStore,
  from: bigint | undefined,
  write: (text: string) => Promise<void>,
): Promise<boolean> {
  const start = performance.now();
  const stop = interruption();
  const progress = await showProgress(undefined);
  let written = 0;
  let after = from;
  try {
    do {
      const { lines, next } = await pets.rows(after, ROWS);
      if (lines.length > 0) await write(`${lines.join('\n')}\n`);
      written += lines.length;
      after = next;
      progress.update(written, `${written} animals`);
    } while (after !== undefined && !stop.aborted);
  } finally {
    progress.stop();
  }
  const isWhole = after === undefined;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const where = from === undefined ? '' : ` after id ${from}, where an earlier export stopped,`;
  const why = isWhole ? '' : `, then stopped by ${stop.reason}`;
  progress.say(`Wrote ${written} animals${where} in ${seconds} s${why}.`);
  return isWhole;
}
