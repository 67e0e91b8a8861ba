import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, petstoreCommand } from './data.ts';
import { type Command, freePort, ServerProcess } from './processes.ts';

/** How long a server may take to answer for the first time, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/** What the service is asked for where it does not matter. */
export const LIST = '/v1/pets?limit=20';

export interface Running {
  readonly server: ServerProcess;
  readonly port: number;
  readonly origin: string;
  /** From the start of the process to its first right answer, in milliseconds. */
  readonly startMs: number;
}

export interface Service extends Running, Database {}

/** Starts a server and waits until it answers. `answers` may reject as long as it does not. */
export async function startServer(
  command: (port: number) => Command,
  answers: (port: number) => Promise<boolean>,
): Promise<Running> {
  const port = await freePort();
  const begun = performance.now();
  const server = new ServerProcess(command(port));
  while (performance.now() - begun < START_TIMEOUT_MS) {
    server.assertAlive();
    const isUp = await answers(port).catch(() => false);
    const startMs = performance.now() - begun;
    if (isUp) return { server, port, origin: `http://127.0.0.1:${port}`, startMs };
    await sleep(2);
  }
  throw new Error(`the server did not answer as it should in ${START_TIMEOUT_MS} ms`);
}

/** Whether a server answers a path with 200, for startServer. */
export function isGood(path: string, key: string): (port: number) => Promise<boolean> {
  return async (port) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    await response.arrayBuffer();
    return response.status === 200;
  };
}

/** Starts the service on a database, with settings besides its own. */
export async function startService(
  database: Database,
  settings?: Readonly<Record<string, string>>,
): Promise<Service> {
  const { path, key } = database;
  return { path, key, ...(await startServer(petstoreCommand(path, settings), isGood(LIST, key))) };
}
