import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../http/api-error.ts';
import type { RequestIds } from '../http/request-id.ts';
import type { ActiveKey } from '../keys/key.ts';
import type { AccessLog } from './access-log.ts';
import type { HttpMetrics, RouteSeries } from './http-metrics.ts';
import { readTraceContext } from './trace-context.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its routeOptions, which the framework puts together anew each time that they are asked for. */
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
}

/** Follows each request from its beginning to its end, and counts, logs and traces what came of it. */
export class RequestObserver {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Adds the first of all hooks. */
  watch(app: FastifyInstance): void {
    app.decorateRequest('trace');
    app.decorateRequest('route');
    app.addHook('onRequest', (request, reply, done) => {
      const span = this.begin(request, reply);
      if (span) span.run(done);
      else done();
    });
  }

  /** For a request that meets no hook. */
  begin(request: FastifyRequest, reply: FastifyReply): RequestSpan | undefined {
    const { tracing } = this.#deps;
    request.route = request.routeOptions;
    const context = readTraceContext(request.headers);
    const span = tracing?.begin(request, context);
    request.trace = span ?? context;
    this.#whenClosed(reply.raw, (status, durationMs) => {
      this.#finish(request, status, durationMs);
      span?.end(status);
    });
    return span;
  }

  /** The same for a request that is answered in front of the router, though not at once. */
  follow(series: RouteSeries, route: string, response: ServerResponse, key: ActiveKey): void {
    this.#whenClosed(response, (status, durationMs) => {
      this.#count(series, status, durationMs, route, response.req, key);
    });
  }

  /** The series in which requests of a route are counted that are answered in front of the router. */
  series(method: string, route: string): RouteSeries {
    return this.#deps.metrics.series(method, route);
  }

  /** A request was answered with 200 in front of the router, at once. */
  answered(
    series: RouteSeries,
    durationMs: number,
    route: string,
    request: IncomingMessage,
    key: ActiveKey,
  ): void {
    this.#count(series, 200, durationMs, route, request, key);
  }

  /** A connection was ended with an error below the routes. */
  refused(requestId: string, { code, status, cause }: ApiError): void {
    const { metrics, accessLog, log } = this.#deps;
    metrics.refused(code);
    const level = accessLog.wants(status, 0) ? 'info' : 'debug';
    log[level]({ requestId, code, status, cause }, 'connection refused');
  }

  /** Calls back when an answer has ended, with its status, or with undefined where the client went away. */
  #whenClosed(
    response: ServerResponse,
    then: (status: number | undefined, durationMs: number) => void,
  ): void {
    const { metrics } = this.#deps;
    const startedAt = performance.now();
    metrics.inFlight++;
    // Comes in any case, and once: after the answer, or when the client goes away.
    response.on('close', () => {
      metrics.inFlight--;
      const status = response.writableFinished ? response.statusCode : undefined;
      then(status, performance.now() - startedAt);
    });
  }

  #count(
    series: RouteSeries,
    status: number | undefined,
    durationMs: number,
    route: string,
    request: IncomingMessage,
    key: ActiveKey,
  ): void {
    series.durations.observe(durationMs / 1_000);
    series.count(status).value++;
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

  #finish(request: FastifyRequest, status: number | undefined, durationMs: number): void {
    const { metrics, accessLog } = this.#deps;
    const { method } = request;
    const route = request.is404 ? undefined : request.route.url;
    const series = metrics.series(method, route);
    series.durations.observe(durationMs / 1_000);
    series.count(status).value++;
    if (accessLog.wants(status, durationMs)) {
      const traceId = request.trace?.traceId;
      const keyId = request.apiKey?.id;
      const requestId = request.id;
      accessLog.write({ requestId, traceId, method, route, status, durationMs, keyId });
    }
  }
}
