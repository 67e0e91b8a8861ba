import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { TestContext } from 'node:test';
import type { Engine } from '@petstore/test-support/engines.ts';
import { childrenOf, type Program } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { petstore, serve } from './program.ts';

interface Response {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** `petstore serve --workers`, and a key. */
export interface ServiceOfWorkers {
  readonly program: Program;
  readonly origin: string;
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly key: string;
  /** The processes that serve now. */
  workers(): Promise<number[]>;
  /** Waits until as many processes serve, none of which is among `former`. */
  haveReplaced(former: readonly number[], count: number): Promise<void>;
  /** A request on a connection of its own, so that chance picks the worker. `path` starts behind `/v1`. */
  ask(path: string, options?: Asking): Promise<Response>;
}

interface Asking {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** Whose connections it uses, where not one of its own. */
  readonly agent?: Agent;
  /** The address that it comes from: 127.0.0.1 where undefined. */
  readonly from?: string;
  /** The service's own key where undefined. */
  readonly key?: string;
}

export async function startWorkers(
  t: TestContext,
  engine: Engine,
  count: number,
  settings: Record<string, string> = {},
): Promise<ServiceOfWorkers> {
  const folder = await temporaryFolder(t);
  const env = { PETSTORE_DATABASE_URL: await engine.createDatabase(t), ...settings };
  const { origin, ...program } = await serve(t, folder, env, ['--workers', String(count)]);
  const made = await petstore(folder, ['keys', 'create', '--name', 'x', '--json'], env);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const { pid } = program.child;
  const workers = () => childrenOf(pid as number);
  return {
    ...{ program, origin, folder, env, key, workers },
    async haveReplaced(former, count) {
      await timeUntil(async () => {
        const now = await workers();
        return now.length === count && !now.some((worker) => former.includes(worker));
      });
      // Those that serve, and not only run.
      await timeUntil(async () => (await servingOf(origin)) === count);
    },
    ask: (path, options = {}) =>
      ask(`${origin}/v1${path}`, {
        ...options,
        headers: { authorization: `Bearer ${options.key ?? key}`, ...options.headers },
      }),
  };
}

async function servingOf(origin: string): Promise<number> {
  const { text } = await ask(`${origin}/metrics`);
  return Number(/^petstore_workers (\d+)$/m.exec(text)?.[1]);
}

/** Fails where a connection is refused or cut. */
export async function ask(
  url: string,
  { method = 'GET', body, headers = {}, agent, from }: Omit<Asking, 'key'> = {},
): Promise<Response> {
  const sent = request(url, {
    method,
    agent: agent ?? new Agent({ keepAlive: false }),
    ...(from !== undefined && { localAddress: from }),
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}
