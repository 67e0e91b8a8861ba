import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The usual ports of the lab's parts, beside those of npm start, so that both can run. */
const USUAL = { page: 8090, dashboard: 8091, http: 8092, https: 8093, dns: 8053 } as const;

export type LabPorts = Readonly<Record<keyof typeof USUAL, number>>;

/**
 * A port for each part, free when it was looked for: the usual one, or else any. `areAny`: any at once. The
 * authority has to be told the edge's before either is there, so the system cannot pick them later.
 */
export async function findPorts(areAny: boolean): Promise<LabPorts> {
  const found = new Map<string, number>();
  for (const [part, usual] of Object.entries(USUAL)) {
    const taken = [...found.values()];
    const isUsual = !areAny && (await isFree(usual));
    found.set(part, isUsual ? usual : await anyPort(taken));
  }
  const of = (part: keyof typeof USUAL) => found.get(part) ?? 0;
  return {
    page: of('page'),
    dashboard: of('dashboard'),
    http: of('http'),
    https: of('https'),
    dns: of('dns'),
  };
}

/** Below the ephemeral ports, so that the system gives none of them to another program meanwhile. */
const ANY = { first: 15_000, last: 30_000 } as const;

async function anyPort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = randomInt(ANY.first, ANY.last);
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
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
