import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { engineOf } from '@petstore/test-support/engines.ts';
import type { Prepared } from '@petstore/test-support/postgres.ts';
import { assertNoSecret } from '@petstore/test-support/program.ts';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type Config, readConfig } from '../../src/config.ts';
import { generateKey } from '../../src/keys/key.ts';
import type { Scope } from '../../src/keys/scope.ts';
import { buildServer } from '../../src/server.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

/** A store with all tables, empty. */
export const UP_TO_DATE: Prepared = {
  name: 'petstore_up_to_date',
  prepare: async (url) => (await openStore(url)).close(),
};

export interface Service {
  readonly app: FastifyInstance;
  readonly store: Store;
  /** Where it listens, without a path: `http://127.0.0.1:12345`. */
  readonly origin: string;
  readonly port: number;
  readonly key: string;
  /** What the service logged, a line each. */
  readonly logged: string[];
  /** A request with the key; `path` starts behind `/v1`. */
  call(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<Response>;
  post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

interface Options {
  config?: Partial<Config>;
  store?: Store;
  /** Those that such a store was opened with. */
  metrics?: Metrics;
  now?: () => number;
  /** What the key may do: all that there is to do with animals and orders where undefined. */
  scopes?: readonly Scope[];
}

/** The service on a real socket with a database of its own on the test's engine, and gone when `t` ends. */
export async function startService(t: Ending, options: Options = {}): Promise<Service> {
  // Other tests keep the machine busy: what is turned away for that is tested where a test says so.
  // A store that a test brings is known to that test alone.
  const databaseUrl = options.store
    ? 'sqlite::memory:'
    : await engineOf(t).createDatabase(t, UP_TO_DATE);
  const config: Config = {
    ...readConfig({}),
    port: 0,
    maxEventLoopDelayMs: 0,
    databaseUrl,
    ...options.config,
  };
  const { metrics = new Metrics() } = options;
  const store = options.store ?? (await openStore(databaseUrl, { metrics }));
  const { scopes } = options;
  const made = generateKey('test', config.environment, new Date(), { ...(scopes && { scopes }) });
  const { key, hash, record } = made;
  await store.keys.add({ key, hash, record });

  const logged: string[] = [];
  const log = pino({ level: config.logLevel }, { write: (line) => logged.push(line) });
  const { now } = options;
  const app = await buildServer({ config, store, log, metrics, ...(now && { now }) });
  const origin = await app.listen({ host: config.host, port: config.port });
  cleanUp(t, async () => {
    app.server.closeAllConnections();
    await app.close();
    await store.close();
    assertNoSecret(logged.join(''), 'the log');
  });

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
  return {
    app,
    store,
    origin,
    port: Number(new URL(origin).port),
    key,
    logged,
    call,
    get: (path) => call(path),
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}
