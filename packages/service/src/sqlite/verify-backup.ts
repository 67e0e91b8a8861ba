import { byteProgress } from '../progress.ts';
import { type BackupFile, compareSha256, sha256Of, sizeOfFile } from './backup-file.ts';
import { checkDatabase } from './check-database.ts';
import type { DatabaseKind } from './database-kind.ts';

/**
 * Reads a backup through and returns what it holds. Changes nothing. Rejects with UserError where it is not sound, or
 * not the one with the expected SHA-256.
 */
export async function verifyBackup<Facts extends object>(
  kind: DatabaseKind<Facts>,
  file: string,
  expected: string | undefined,
): Promise<BackupFile & Facts> {
  const bytes = sizeOfFile(kind, file);
  const progress = byteProgress('read');
  try {
    await progress.start(bytes);
    const { signal } = new AbortController();
    const sha256 = await sha256Of(file, { onProgress: progress.update, signal });
    compareSha256(file, sha256, expected);
    progress.phase('Checking every page.');
    return { file, bytes, sha256, ...(await checkDatabase(kind, file)) };
  } finally {
    progress.stop();
  }
}
