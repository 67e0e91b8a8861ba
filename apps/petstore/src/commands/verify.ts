import { print } from '@petstore/service/commands.ts';
import type { Command } from 'commander';
import { checkDatabase } from '../store/sqlite/check.ts';
import {
  type BackupFacts,
  compareSha256,
  describeBackup,
  refusePostgres,
  SHA256_OPTION,
  sha256Of,
  sizeOfFile,
} from './database-file.ts';
import { byteProgress } from './progress.ts';
import { JSON_OPTION, subcommand } from './subcommand.ts';

export function verifyCommand(): Command {
  return subcommand('verify')
    .description('Read a backup through, and tell what it holds. Changes nothing.')
    .argument('<file>', 'file that `petstore backup` made')
    .option(...SHA256_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Looks whether every page, index and row is sound, and whether it is a
petstore's database of a version that this one can open. A letter that changed
within a name is seen by the SHA-256 alone. Exit code 0 when all is well, 1 when
not.

Examples:
  petstore verify /var/backups/petstore.db
  petstore verify --json /var/backups/petstore.db | jq .animals`,
    )
    .action(async (file: string, options: { sha256?: string; json?: boolean }) => {
      refusePostgres('verify', file);
      const facts = await verify(file, options.sha256);
      await print(
        options.json ? JSON.stringify(facts) : `${file} is sound: ${describeBackup(facts)}.`,
      );
    });
}

async function verify(file: string, expected: string | undefined): Promise<BackupFacts> {
  const bytes = sizeOfFile(file);
  const progress = byteProgress('read');
  try {
    await progress.start(bytes);
    const { signal } = new AbortController();
    const sha256 = await sha256Of(file, { onProgress: progress.update, signal });
    compareSha256(file, sha256, expected);
    progress.phase('Checking every page.');
    return { file, bytes, sha256, ...checkDatabase(file) };
  } finally {
    progress.stop();
  }
}
