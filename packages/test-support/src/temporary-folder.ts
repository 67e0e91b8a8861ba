import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls back when a test ends (its context), or a file of tests (what `node:test` exports). */
interface Ending {
  after(remove: () => Promise<void>): void;
}

/** A folder that is gone when the test, or the file of tests, ends. */
export async function temporaryFolder(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
