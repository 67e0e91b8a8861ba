import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, freePort, ServerProcess } from './processes.ts';

/** How long a server may take to answer for the first time, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

export interface Running {
  readonly server: ServerProcess;
  readonly origin: string;
  /** From the start of the process to the first 200, in milliseconds. */
  readonly startMs: number;
}

/** Starts a server and waits until it answers `path` with 200. */
export async function startServer(
  command: (port: number) => Command,
  path: string,
  key: string,
  core: number | undefined,
): Promise<Running> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const server = new ServerProcess(command(port), core);
  const headers = { authorization: `Bearer ${key}` };
  while (performance.now() - begun < START_TIMEOUT_MS) {
    server.assertAlive();
    const response = await fetch(`${origin}${path}`, { headers }).catch(() => undefined);
    const isUp = response?.status === 200;
    await response?.arrayBuffer();
    if (isUp) return { server, origin, startMs: performance.now() - begun };
    await sleep(2);
  }
  await server.stop();
  throw new Error(`the server did not answer ${path} with 200 in ${START_TIMEOUT_MS} ms`);
}
