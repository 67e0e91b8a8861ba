import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '@petstore/http/node-http.ts';
import type { Log } from '@petstore/service/log.ts';
import type { Config } from '../config.ts';
import { unavailable } from '../http/api-error.ts';
import { errorBody } from '../http/json-response.ts';
import type { ReadinessReport } from '../readiness.ts';
import { describeMigration, type MigrationState } from '../store/migration.ts';

/** How often the log has a line about the same step, in milliseconds. */
const LOG_INTERVAL_MS = 10_000;

/**
 * Says what the service waits for while the schema is brought up to date: in the log, and at the service's address.
 * Nothing else is served then: `/livez` is a 200, so that no supervisor ends the work, and everything else a 503.
 */
export class MigrationNotice {
  readonly #config: Pick<Config, 'host' | 'port'>;
  readonly #log: Log;
  #server: Server | undefined;
  #sentence = '';
  #doing = '';
  #loggedAt = 0;

  constructor(config: Pick<Config, 'host' | 'port'>, log: Log) {
    this.#config = config;
    this.#log = log;
  }

  /** Tells of a state, and begins to listen with the first one. */
  update(state: MigrationState): void {
    this.#sentence = describeMigration(state);
    if (this.#server) {
      this.#tell(state);
      return;
    }
    this.#server = this.#listen();
    // The log line then has the port. Why the service cannot listen is reported when the service itself tries to.
    this.#server.once('listening', () => this.#tell(state)).once('error', () => this.#tell(state));
  }

  #tell(state: MigrationState): void {
    const now = performance.now();
    if (state.doing === this.#doing && now - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#doing = state.doing;
    this.#loggedAt = now;
    this.#log.info(
      { ...state, port: this.#port },
      state.isOthers ? 'waiting for the schema' : 'migrating the schema',
    );
  }

  /** Releases the port for the service, if that has not happened yet. Returns the port, where it had one. */
  async end(): Promise<number | undefined> {
    const server = this.#server;
    if (!server) return undefined;
    const port = this.#port;
    this.#server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
    return port;
  }

  get #port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  #listen(): Server {
    const server = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const { status, body, headers } = this.#respond(path);
      const type = 'application/json; charset=utf-8';
      response
        .writeHead(status, { ...headers, 'content-type': type, 'cache-control': 'no-store' })
        .end(body);
    });
    return server.listen(this.#config);
  }

  #respond(path: string) {
    const headers = { connection: 'close' };
    if (path === '/livez') return { status: 200, body: JSON.stringify({ status: 'ok' }), headers };
    if (path === '/readyz' || path.startsWith('/readyz/')) {
      const report: ReadinessReport = {
        status: 'unavailable',
        checks: { schema: { status: 'failed', message: this.#sentence } },
      };
      return { status: 503, body: JSON.stringify(report), headers };
    }
    const error = unavailable(undefined);
    return {
      status: error.status,
      body: errorBody(error),
      headers: { ...error.headers, ...headers },
    };
  }
}
