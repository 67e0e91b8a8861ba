import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp, type Ending } from './clean-up.ts';

/** What ends at the same time may still write there, so a folder that is not empty yet is tried again. */
export const REMOVED = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/** A folder that is gone when the test, or the file of tests, ends. */
export async function temporaryFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  cleanUp(t, () => rm(folder, REMOVED));
  return folder;
}
