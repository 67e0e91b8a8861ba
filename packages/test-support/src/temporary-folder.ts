import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp, type Ending } from './clean-up.ts';

/** A folder that is gone when the test, or the file of tests, ends. */
export async function temporaryFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  cleanUp(t, () => rm(folder, { recursive: true, force: true }));
  return folder;
}
