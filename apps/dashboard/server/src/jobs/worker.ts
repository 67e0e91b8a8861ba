import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A unique name for a holder of leases, of this machine and this process. */
export function workerName(): string {
  return `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`;
}

/** Whether a worker's process on this machine has ended, so that its leases can be taken over at once. */
export function isDeadWorker(name: string): boolean {
  const [host, pid] = name.split(' ');
  return host === hostname() && !isProcess(Number(pid));
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any error but ESRCH (no such process), such as EPERM, means that there is a process.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
