import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeadWorker, workerName } from '../../jobs/lease.ts';

/** Before the name of the process whose folder it is. */
const PREFIX = 'dashboard-dev-';

/** Makes a folder for built sites, for this user alone, and removes those of processes that were killed. */
export function makeDevFolder(): string {
  const parent = tmpdir();
  for (const entry of readdirSync(parent))
    if (entry.startsWith(PREFIX)) removeLeftover(join(parent, entry), entry.slice(PREFIX.length));
  const folder = join(parent, PREFIX + encodeURIComponent(workerName()));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function removeLeftover(path: string, name: string): void {
  try {
    // Everyone may write into the system's temporary folder.
    const isMine = lstatSync(path).uid === (process.getuid?.() ?? 0);
    if (isMine && isDeadWorker(decodeURIComponent(name)))
      rmSync(path, { recursive: true, force: true });
  } catch {
    // Gone meanwhile, or of another program.
  }
}
