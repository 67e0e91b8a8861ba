import { once } from 'node:events';
import { createServer } from 'node:net';

/** Where the lab's parts listen when nobody else does: next to npm start's, so that both can run. */
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
    const port = areAny ? undefined : await freePort(usual);
    found.set(part, port ?? (await anyPort(taken)));
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

async function anyPort(taken: readonly number[]): Promise<number> {
  for (;;) {
    const port = await freePort(0);
    if (port !== undefined && !taken.includes(port)) return port;
  }
}

/** The port itself, or the one that the system picks for 0; undefined where it is taken. */
async function freePort(port: number): Promise<number | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : undefined;
}
