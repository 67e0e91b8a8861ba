import type { Log } from '@petstore/service/log.ts';
import { Metrics } from '@petstore/service/metrics/instruments.ts';
import { isPostgresUrl } from '@petstore/service/postgres-address.ts';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Db } from '../store/schema.ts';
import { probeEdge } from './edge-probe.ts';
import { type MetricsText, type OperatorServer, startOperatorServer } from './operator-server.ts';
import { Readiness } from './readiness.ts';

/** What a process shows its operator. */
export interface Operations {
  /** undefined: nobody asks for them, so nothing needs to be counted. */
  readonly metrics: Metrics | undefined;
  readonly readiness: Readiness;
  /** The operator's port; undefined: there is none. */
  readonly port: number | undefined;
  /** Called before the metrics are written, for what is not counted but looked up. It may reject. */
  onRead(refresh: () => Promise<void>): void;
  close(): Promise<void>;
}

interface Options {
  readonly log: Log;
  readonly version?: string;
  /** Writes the metrics of several processes; undefined: those of this one. */
  readonly ofAll?: (own: Metrics) => Promise<MetricsText>;
}

/** Starts the operator's port, where one is configured. Rejects with UserError where it cannot listen. */
export async function startOperations(
  config: Config,
  { log, version, ofAll }: Options,
): Promise<Operations> {
  const readiness = new Readiness(log);
  if (!config.operator) {
    const none = { metrics: undefined, port: undefined, onRead() {}, async close() {} };
    return { readiness, ...none };
  }
  const metrics = new Metrics();
  describeProcess(metrics, config, version);
  const refreshes: (() => Promise<void>)[] = [];
  let loading: Promise<MetricsText> | undefined;
  const server: OperatorServer = await startOperatorServer(config.operator, {
    ...{ readiness, log },
    async metrics() {
      loading ??= (ofAll ?? ofThisProcess)(metrics);
      const { contentType, write } = await loading;
      const refresh = async () => {
        for (const work of refreshes) await work();
      };
      return {
        contentType,
        async write() {
          // The database is unavailable, say: what is counted here is told all the same.
          await refresh().catch((error) => log.warn({ err: error }, 'metrics could not be read'));
          return write();
        },
      };
    },
  });
  return {
    ...{ metrics, readiness, port: server.port, close: server.close },
    onRead: (refresh) => refreshes.push(refresh),
  };
}

async function ofThisProcess(metrics: Metrics): Promise<MetricsText> {
  // Loaded with the first request: not everyone reads metrics.
  const { exposition } = await import('@petstore/service/metrics/exposition.ts');
  return exposition(metrics);
}

function describeProcess(metrics: Metrics, config: Config, version = ''): void {
  const database = isPostgresUrl(config.databaseUrl) ? 'postgresql' : 'sqlite';
  metrics.gauge(
    'dashboard_build_info',
    'Always 1; the labels tell what runs.',
    () => 1,
    { version, node: process.versions.node, database },
    'first',
  );
}

/** What `/readyz` asks of a process that has a database and an edge. */
export function checkDatabaseAndEdge(
  readiness: Readiness,
  { db, host, port }: { db: Db; host: string; port: number },
): void {
  readiness.add(
    'database',
    async () => {
      await sql`SELECT 1`.execute(db);
      return undefined;
    },
    'The database does not respond.',
  );
  readiness.add('edge', () => probeEdge(host, port), 'The edge does not respond.');
}
