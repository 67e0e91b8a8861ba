import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from './user-error.ts';

/** How long a lock may be without an id while it is made, in milliseconds. After a power cut it may stay so. */
const EMPTY_MS = 5_000;

/**
 * Keeps other processes away from a file, by a file beside it that holds this process's id: `FILE.lock`. The lock of a
 * process that was killed is ignored. Throws UserError where another process has the lock. Returns a function that
 * releases it.
 */
export function lockFile(path: string): () => void {
  const lock = `${path}.lock`;
  while (!create(lock)) {
    if (!isLeft(path, lock)) continue;
    // One process at a time removes it: another that found the same would remove the lock that this one makes next.
    const release = lockFile(lock);
    try {
      if (isLeft(path, lock)) rmSync(lock);
    } finally {
      release();
    }
  }
  return () => rmSync(lock, { force: true });
}

/** False where there is one. */
function create(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a lock is that of a process that has ended; false where it is gone. Throws UserError for any other. */
function isLeft(path: string, lock: string): boolean {
  let holder: string;
  let age: number;
  try {
    holder = readFileSync(lock, 'latin1').trim();
    age = Date.now() - statSync(lock).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  if (holder === '' ? age > EMPTY_MS : !isAlive(Number(holder))) return true;
  const who = holder === '' ? 'Another process' : `Process ${holder}`;
  throw new UserError(
    `${who} writes ${path} already. Wait for it, or name another file. If there is no such process, delete ${lock}.`,
  );
}

/** Whether another process has the id. In a new container an old process's id may be one's own. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
