import type { Metrics } from '@petstore/service/metrics/instruments.ts';

/** Histogram bounds of statements, in seconds. */
const BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** What is told of each statement. */
export interface DatabaseObserver {
  statement(durationMs: number, isError: boolean): void;
  /** A pool was made; `load` tells how many of its connections work, and how many statements wait for one. */
  pool(load: () => { readonly active: number; readonly waiting: number }): void;
}

/** Counts statements, and shows the load of a pool. */
export function databaseObserver(metrics: Metrics): DatabaseObserver {
  const durations = metrics
    .histogram(
      'dashboard_database_statement_seconds',
      'Time of statements, failed ones included.',
      BOUNDS,
    )
    .with();
  const errors = metrics
    .counter('dashboard_database_errors_total', 'Statements that failed.')
    .with();
  return {
    statement(durationMs, isError) {
      durations.observe(durationMs / 1_000);
      if (isError) errors.add();
    },
    pool(load) {
      metrics.gauge(
        'dashboard_database_connections_active',
        'Connections to PostgreSQL that work.',
        () => load().active,
      );
      metrics.gauge(
        'dashboard_database_waiting',
        'Statements that wait for a connection to PostgreSQL.',
        () => load().waiting,
      );
    },
  };
}
