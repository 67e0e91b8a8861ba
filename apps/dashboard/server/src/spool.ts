import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeadWorker, workerName } from './jobs/lease.ts';

/** A folder of temporary files that are too large for memory: uploads, and the input and output of builds. */
export interface Spool {
  readonly folder: string;
  /** A unique path for a file or folder in it. The caller removes it. */
  newPath(): string;
  /** A new folder in it. Who makes it removes it. */
  makeFolder(): Promise<string>;
  /** Removes all of it. */
  close(): Promise<void>;
}

/** Another process with this pid may have left the folder, before the machine or its container was restarted. */
const own = new Set<string>();

/** Opens this process's folder below `dataDir`, and deletes those that processes of this machine left behind. */
export function openSpool(dataDir: string): Spool {
  const parent = resolve(dataDir, 'spool');
  const name = workerName();
  own.add(name);
  const folder = join(parent, fileNameOf(name));
  // Uploads must not be readable by other users of the machine.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeLeftovers(parent);
  const newPath = () => join(folder, randomBytes(8).toString('hex'));
  return {
    folder,
    newPath,
    async makeFolder() {
      const path = newPath();
      await mkdir(path, { mode: 0o700 });
      return path;
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      own.delete(name);
    },
  };
}

function removeLeftovers(parent: string): void {
  for (const entry of readdirSync(parent)) {
    const name = nameOf(entry);
    const hasMyPid = name.startsWith(`${hostname()} ${process.pid} `);
    if (hasMyPid ? !own.has(name) : isDeadWorker(name)) {
      rmSync(join(parent, entry), { recursive: true, force: true });
    }
  }
}

/** Without percent signs, which ssh reads as something else in paths. A worker's name has spaces and no plus. */
const fileNameOf = (name: string) => encodeURIComponent(name).replaceAll('%20', '+');

/** The name of the process whose folder it is. A folder that this program did not create belongs to no process. */
function nameOf(entry: string): string {
  try {
    return decodeURIComponent(entry.replaceAll('+', '%20'));
  } catch {
    return entry;
  }
}
