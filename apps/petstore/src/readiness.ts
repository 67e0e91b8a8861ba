import type { Log } from '@petstore/service/log.ts';
import type { FastifyPluginCallback } from 'fastify';
import type { Config } from './config.ts';
import type { Overload } from './http/overload.ts';
import type { Problem, Store } from './store/store.ts';

interface Check {
  readonly status: 'ok' | 'failed';
  /** What is wrong, for everyone to read. */
  readonly message?: string;
}

/** Whether the service can serve, with the result of each check. */
export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  readonly checks: Readonly<Record<string, Check>>;
}

type StoreCheck = keyof Store['checks'];

/** The message about a check that takes too long. */
const LATE: Readonly<Record<StoreCheck, string>> = {
  reads: 'The database does not respond in time.',
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
 * Decides whether requests should be sent here. The store is asked anew for every report, but only once for all reports
 * that are made meanwhile, and no report waits longer than the timeout.
 */
export class Readiness {
  readonly #deps: ReadinessDeps;
  readonly #asking = new Map<StoreCheck, Promise<Problem | undefined>>();
  /** The problems that the log was told last, by the parts that were checked. */
  readonly #failed = new Map<string, string>();

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  /** `parts`: the checks of the store that count. */
  async report(parts: readonly StoreCheck[]): Promise<ReadinessReport> {
    const { overload, stopping } = this.#deps;
    const results = await Promise.all(
      parts.map(async (part) => [part, await this.#ask(part)] as const),
    );
    const { writeQueue, ...rest } = overload.problems;
    const problems = {
      process: stopping?.aborted ? 'The process is stopping.' : undefined,
      ...Object.fromEntries(results.map(([part, problem]) => [part, problem?.message])),
      ...rest,
      // Waiting writes must not keep clients away that only read.
      ...(parts.includes('writes') && { writeQueue }),
    };
    const failed = Object.entries(problems).filter(([, problem]) => problem !== undefined);
    this.#tell(
      parts.join(),
      Object.fromEntries(failed),
      results.find(([, problem]) => problem?.cause !== undefined)?.[1]?.cause,
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

  /** Logs a change of the report, and not every report. */
  #tell(parts: string, failed: Readonly<Record<string, string | undefined>>, cause: unknown): void {
    const names = Object.keys(failed).join();
    if (names === (this.#failed.get(parts) ?? '')) return;
    this.#failed.set(parts, names);
    if (names === '') this.#deps.log.info('ready again');
    else this.#deps.log.warn({ failed, err: cause }, 'not ready');
  }
}

/** The checks of the store behind each path. Balancers may go on sending reads where writes fail now. */
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
