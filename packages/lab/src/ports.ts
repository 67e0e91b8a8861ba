import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The usual ports of the lab's parts, beside those of npm start, so that both can run. */
const USUAL = { page: 8090, dashboard: 8091, http: 8092, https: 8093, dns: 8053 } as const;

export type LabPorts = Readonly<Record<keyof typeof USUAL, number>>;

/**
 * A port for each part, free when it was checked: the usual one, or else any. `areAny`: any at once. The authority must
 * know the edge's port before either is running, so the system cannot pick the ports later.
 */
export async function findPorts(areAny: boolean): Promise<LabPorts> {
  const found: Record<keyof LabPorts, number> = { ...USUAL };
  const taken: number[] = [];
  for (const part of Object.keys(USUAL) as (keyof LabPorts)[]) {
    const isUsual = !areAny && (await isFree(USUAL[part]));
    if (!isUsual) found[part] = await anyPort(taken);
    taken.push(found[part]);
  }
  return found;
}

/** Below the ephemeral ports, so that the system does not give one to another program meanwhile. */
const ANY = { first: 15_000, last: 30_000 } as const;

/**
 * A port that is free now and not among those `taken`. On Linux nobody else is given it while this process lives: what
 * listens there may start later, or stop for a while.
 */
export async function anyPort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = randomInt(ANY.first, ANY.last);
    if (taken.includes(port)) continue;
    const claim = await claimPort(port);
    if (!claim) continue;
    if (await isFree(port)) return port;
    claim.close();
  }
}

/**
 * Undefined where another process has it, or this one. The system ends a claim with its process. Where it allows none, each
 * port counts as claimed.
 */
async function claimPort(port: number): Promise<{ close(): void } | undefined> {
  const none = { close: () => undefined };
  if (process.platform !== 'linux') return none;
  // A name of Linux's own, which is no file: https://man7.org/linux/man-pages/man7/unix.7.html, "Abstract sockets".
  const server = createServer().listen(`\0petstore-lab-port-${port}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? undefined : none;
  }
  return server.unref();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
