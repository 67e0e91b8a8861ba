import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '@petstore/http/errors.ts';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestIds } from '../http/request-id.ts';
import { responseOf, type ServiceResponse } from '../http/service-response.ts';
import type { ActiveKey } from '../keys/key.ts';
import type { AccessLog } from './access-log.ts';
import type { FastRouteCounts, HttpMetrics } from './http-metrics.ts';
import { type RequestSpan, readTraceContext, type Tracing } from './tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The request's routeOptions. The framework assembles them anew at each access. `url` is undefined where the path is
     * unknown.
     */
    route: FastifyRequest['routeOptions'];
    /** The trace that the request belongs to, where its client or this service has one. */
    trace: { readonly traceId: string } | undefined;
  }
}

interface Deps {
  readonly metrics: HttpMetrics;
  readonly accessLog: AccessLog;
  readonly log: Log;
  readonly requestId: RequestIds;
  /** Undefined where no traces are collected. */
  readonly tracing: Tracing | undefined;
  /** The path of a request that the router has no route for; undefined where it is unknown. */
  readonly pathOf: (request: FastifyRequest) => string | undefined;
}

/** Follows each request from its beginning to its end, and counts, logs and traces it. */
export class RequestObserver {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Adds the first of all hooks. */
  watch(app: FastifyInstance): void {
    app.decorateRequest('trace');
    app.decorateRequest('route');
    const begin = this.begin.bind(this);
    app.addHook('onRequest', function observe(request, reply, done) {
      const span = begin(request, reply);
      if (span) span.run(done);
      else done();
    });
  }

  /** For a request that does not pass the hooks. */
  begin(request: FastifyRequest, reply: FastifyReply): RequestSpan | undefined {
    const { tracing, pathOf } = this.#deps;
    const { routeOptions } = request;
    request.route = request.is404 ? { ...routeOptions, url: pathOf(request) } : routeOptions;
    const context = readTraceContext(request.headers);
    const span = tracing?.begin(request, context);
    request.trace = span ?? context;
    const response = responseOf(reply);
    this.#whenClosed(response, (status, durationMs) => {
      this.#finish(request, response, status, durationMs);
      span?.end(status);
    });
    return span;
  }

  /** The same for a request on the fast path that is not served at once. `since`: see `served`. */
  follow(route: FastRouteCounts, response: ServerResponse, key: ActiveKey, since: number): void {
    this.#whenClosed(
      response,
      (status, durationMs) => this.#count(route, status, durationMs, response.req, key),
      since,
    );
  }

  /** The counters of a route on the fast path. */
  countsOf(method: string, route: string): FastRouteCounts {
    const { metrics } = this.#deps;
    return {
      pattern: route,
      series: metrics.series(method, route),
      taken: metrics.fastPath(method, route),
    };
  }

  /**
   * A request on the fast path was served with 200, at once. `since`: when it arrived, in milliseconds by
   * `performance.now()`.
   */
  served(route: FastRouteCounts, { req }: ServerResponse, key: ActiveKey, since: number): void {
    this.#count(route, 200, performance.now() - since, req, key);
  }

  /** A connection was ended with an error below the routes. */
  refused(requestId: string, { code, status, cause }: ApiError): void {
    const { metrics, accessLog, log } = this.#deps;
    metrics.refused(code);
    const level = accessLog.wants(status, 0) ? 'info' : 'debug';
    log[level]({ requestId, code, status, cause }, 'connection refused');
  }

  /**
   * Calls back when a response has ended, with its status, or with undefined where the client went away. A stream took
   * the time up to its head.
   */
  #whenClosed(
    response: ServerResponse & Pick<ServiceResponse, 'streamsSince'>,
    then: (status: number | undefined, durationMs: number) => void,
    since = performance.now(),
  ): void {
    const { metrics } = this.#deps;
    metrics.inFlight++;
    // Emitted in any case, and once: after the response, or when the client goes away.
    response.on('close', () => {
      metrics.inFlight--;
      const status = response.writableFinished ? response.statusCode : undefined;
      then(status, (response.streamsSince ?? performance.now()) - since);
    });
  }

  #count(
    { pattern: route, series, taken }: FastRouteCounts,
    status: number | undefined,
    durationMs: number,
    request: IncomingMessage,
    key: ActiveKey,
  ): void {
    series.durations.observe(durationMs / 1_000);
    series.count(status).value++;
    taken.value++;
    const { accessLog, requestId } = this.#deps;
    if (accessLog.wants(status, durationMs)) {
      accessLog.write({
        requestId: requestId(request),
        traceId: readTraceContext(request.headers)?.traceId,
        method: request.method ?? '',
        route,
        status,
        durationMs,
        keyId: key.id,
      });
    }
  }

  #finish(
    request: FastifyRequest,
    { hasFault }: ServiceResponse,
    status: number | undefined,
    durationMs: number,
  ): void {
    const { metrics, accessLog } = this.#deps;
    const { method } = request;
    const route = request.route.url;
    if (hasFault) metrics.faults.value++;
    else {
      const series = metrics.series(method, route);
      series.durations.observe(durationMs / 1_000);
      series.count(status).value++;
    }
    if (accessLog.wants(status, durationMs, hasFault)) {
      const traceId = request.trace?.traceId;
      const keyId = request.apiKey?.id;
      const requestId = request.id;
      accessLog.write({
        ...{ requestId, traceId, method, route, status, durationMs, keyId },
        ...(hasFault && { hasFault }),
      });
    }
  }
}
