import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A name by which to hold leases: of this machine and this process, and never given twice. */
export function workerName(): string {
  return `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`;
}

/** Whether a worker was of this machine and its process is no more, so that its leases can be taken over at once. */
export function isDeadWorker(name: string): boolean {
  const [host, pid] = name.split(' ');
  return host === hostname() && !isProcess(Number(pid));
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process", such as "not yours", is a process.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
