import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Works while `renew` keeps a lease, every `everyMs` milliseconds. The work's signal is aborted when `stop` is, or when
 * `renew` says that the lease is lost. A renewal that fails says nothing: the next one may come in time.
 */
export async function underLease(
  renew: () => Promise<boolean>,
  everyMs: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const timer = setInterval(async () => {
    const isMine = await renew().catch(() => true);
    if (!isMine) lost.abort(new Error('the lease was lost'));
  }, everyMs);
  try {
    await work(AbortSignal.any([stop, lost.signal]));
  } finally {
    clearInterval(timer);
  }
}

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
