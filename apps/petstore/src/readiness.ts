import type { Log } from '@petstore/service/log.ts';
import type { FastifyPluginCallback } from 'fastify';
import type { Config } from './config.ts';
import type { Overload } from './http/overload.ts';
import type { Problem, Store } from './store/store.ts';

interface Check {
  readonly status: 'ok' | 'failed';
  /** What is wrong, for anyone to read. */
  readonly message?: string;
}

/** Whether the service can serve, and everything that takes part in it. */
export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, Check>>;
}

type StoreCheck = keyof Store['checks'];

/** What is said of a check that takes too long. */
const LATE: Readonly<Record<StoreCheck, string>> = {
  reads: 'The database does not answer in time.',
  writes: 'The database does not take a write in time.',
};

interface ReadinessDeps {
  readonly config: Pick<Config, 'readyTimeoutMs'>;
  readonly store: Store;
  readonly overload: Overload;
  readonly stopping: AbortSignal | undefined;
  readonly log: Log;
}

/**
 * Knows whether requests should be sent here. The store is asked anew for every report, but only once
 * for all who ask meanwhile, and nobody waits for it longer than the timeout.
 */
export class Readiness {
  readonly #deps: ReadinessDeps;
  readonly #asking = new Map<StoreCheck, Promise<Problem | undefined>>();
  /** What was told last, by what was asked. */
  readonly #failed = new Map<string, string>();

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  /** `parts`: what of the store counts. */
  async report(parts: readonly StoreCheck[]): Promise<ReadinessReport> {
    const { overload, stopping } = this.#deps;
    const asked = await Promise.all(
      parts.map(async (part) => [part, await this.#ask(part)] as const),
    );
    const { writeQueue, ...rest } = overload.problems;
    const problems = {
      process: stopping?.aborted ? 'The process is stopping.' : undefined,
      ...Object.fromEntries(asked.map(([part, problem]) => [part, problem?.message])),
      ...rest,
      // Who only reads is not kept away by writes that wait.
      ...(parts.includes('writes') && { writeQueue }),
    };
    const failed = Object.entries(problems).filter(([, problem]) => problem !== undefined);
    this.#tell(
      parts.join(),
      Object.fromEntries(failed),
      asked.find(([, problem]) => problem?.cause !== undefined)?.[1]?.cause,
    );
    return {
      status: failed.length === 0 ? 'ok' : 'unavailable',
      checks: Object.fromEntries(
        Object.entries(problems).map(([name, message]) => [
          name,
          message === undefined ? { status: 'ok' } : { status: 'failed', message },
        ]),
      ),
    };
  }

  async #ask(name: StoreCheck): Promise<Problem | undefined> {
    const { store, config } = this.#deps;
    const asking =
      this.#asking.get(name) ?? store.checks[name]().finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Problem>((resolve) => {
      timer = setTimeout(() => resolve({ message: LATE[name] }), config.readyTimeoutMs);
    });
    const problem = await Promise.race([asking, late]);
    clearTimeout(timer);
    return problem;
  }

  /** In the log when it changes, and not at every question. */
  #tell(parts: string, failed: Readonly<Record<string, string | undefined>>, cause: unknown): void {
    const names = Object.keys(failed).join();
    if (names === (this.#failed.get(parts) ?? '')) return;
    this.#failed.set(parts, names);
    if (names === '') this.#deps.log.info('ready again');
    else this.#deps.log.warn({ failed, err: cause }, 'not ready');
  }
}

/** What is asked of the store at each address; balancers may send reads to where writes do not succeed now. */
const READY = {
  '/readyz': ['reads', 'writes'],
  '/readyz/reads': ['reads'],
  '/readyz/writes': ['writes'],
} as const;

/** For supervisors and load balancers: does the process live, and can it serve? No key, no data. */
export const healthRoutes: FastifyPluginCallback<{ readiness: Readiness }> = (
  app,
  { readiness },
  done,
) => {
  app.get('/livez', { schema: { hide: true } }, (_request, reply) => {
    reply.header('cache-control', 'no-store').send({ status: 'ok' });
  });

  for (const [path, parts] of Object.entries(READY)) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const report = await readiness.report(parts);
      reply.code(report.status === 'ok' ? 200 : 503).header('cache-control', 'no-store');
      return report;
    });
  }

  done();
};
