import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { UserError } from './user-error.ts';

/**
 * Keeps other processes away from a file, by a file beside it that holds this process's id: `FILE.lock`. The lock of a
 * process that was killed is ignored. Throws UserError where another process has the lock. Returns a function that
 * releases it.
 */
export function lockFile(path: string): () => void {
  const lock = `${path}.lock`;
  try {
    create(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const holder = readFileSync(lock, 'latin1').trim();
    if (isAlive(Number(holder))) {
      throw new UserError(
        `Process ${holder} writes ${path} already. Wait for it, or name another file. If there is no such process, delete ${lock}.`,
        { cause: error },
      );
    }
    rmSync(lock, { force: true });
    create(lock);
  }
  return () => rmSync(lock, { force: true });
}

function create(lock: string): void {
  writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
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
