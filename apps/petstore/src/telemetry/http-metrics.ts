import type { Counter, Histogram, Metrics } from '@petstore/service/metrics/instruments.ts';
import { UNAVAILABLE_KINDS, type UnavailableKind } from '../store/store-errors.ts';

/** Methods that have a series of their own; clients may make up any number of others. */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'],
]);

/** Stands for all other methods, as in OpenTelemetry's conventions. */
const OTHER_METHOD = '_OTHER';

/** Stands for every path that no route has. */
const UNMATCHED = 'unmatched';

/** Stands in place of a status where the client went away before it got a response. */
const ABORTED = 'aborted';

/**
 * Histogram bounds of latencies, in seconds. The lowest separate a cached page from one that was read; the highest are
 * timeouts.
 */
const LATENCY_BOUNDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];

/** A method as a label. */
export function methodLabel(method: string): string {
  return METHODS.has(method) ? method : OTHER_METHOD;
}

/** Counts of the requests of one method to one route. */
export interface RouteSeries {
  readonly durations: Histogram;
  /** `undefined`: the client went away. */
  count(status: number | undefined): Counter;
}

/** The counters of requests to a route on the fast path. */
export interface FastRouteCounts {
  readonly pattern: string;
  readonly series: RouteSeries;
  readonly taken: Counter;
}

/** The metrics of requests. Labels are bounded: methods, routes and statuses of the service. */
export class HttpMetrics {
  /** Requests that have begun and have no response yet. */
  inFlight = 0;
  /** Requests with faults that were asked for. They are in neither of the next two. */
  readonly faults: Counter;
  readonly #requests;
  readonly #durations;
  readonly #fastPath;
  readonly #refused;
  readonly #databaseErrors;
  /** By route, then by method. */
  readonly #series = new Map<string | undefined, Map<string, RouteSeries>>();

  constructor(metrics: Metrics) {
    this.faults = metrics
      .counter(
        'petstore_http_faults_total',
        'Requests with a fault that a sandbox asked for; they are not counted among the others.',
      )
      .with();
    this.#requests = metrics.counter(
      'petstore_http_requests_total',
      'Requests by method, route pattern and status; status "aborted" where the client went away.',
    );
    this.#durations = metrics.histogram(
      'petstore_http_request_duration_seconds',
      'Time from the header section to the end of the response, of a stream to its head, by method and route pattern.',
      LATENCY_BOUNDS,
    );
    this.#fastPath = metrics.counter(
      'petstore_http_fast_path_total',
      'Requests that were served in front of the router, by method and route pattern.',
    );
    this.#refused = metrics.counter(
      'petstore_http_connections_refused_total',
      'Connections that were ended with an error because the bytes on them were not a request.',
    );
    this.#databaseErrors = metrics.counter(
      'petstore_database_errors_total',
      'Requests that failed because the database could not work, by the reason.',
    );
    // Created at the start: a rate needs a series that was seen before it grew.
    for (const kind of UNAVAILABLE_KINDS) this.#databaseErrors.with({ kind });
    metrics.gauge(
      'petstore_http_requests_in_flight',
      'Requests under way, without those that are served at once.',
      () => this.inFlight,
    );
  }

  /** The series of a method and a route's pattern; undefined for paths that no route has. */
  series(method: string, route: string | undefined): RouteSeries {
    let methods = this.#series.get(route);
    if (!methods) {
      methods = new Map();
      this.#series.set(route, methods);
    }
    const label = methodLabel(method);
    let series = methods.get(label);
    if (!series) {
      series = this.#createSeries({ method: label, route: route ?? UNMATCHED });
      methods.set(label, series);
    }
    return series;
  }

  /** The counters of a route on the fast path. */
  fastPath(method: string, route: string): Counter {
    return this.#fastPath.with({ method, route });
  }

  /** A connection was ended with an error of this code. */
  refused(code: string): void {
    this.#refused.with({ code }).add();
  }

  /** A request failed because the database could not work. */
  databaseFailed(kind: UnavailableKind): void {
    this.#databaseErrors.with({ kind }).add();
  }

  #createSeries(labels: { method: string; route: string }): RouteSeries {
    const counts = new Map<number | undefined, Counter>();
    return {
      durations: this.#durations.with(labels),
      count: (status) => {
        let count = counts.get(status);
        if (!count) {
          count = this.#requests.with({ ...labels, status: `${status ?? ABORTED}` });
          counts.set(status, count);
        }
        return count;
      },
    };
  }
}
