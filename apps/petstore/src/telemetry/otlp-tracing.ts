import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyRequest } from 'fastify';
import type { Store } from '../store/store.ts';
import { methodLabel } from './http-metrics.ts';
import type { RequestSpan, TraceContext, Tracing } from './tracing.ts';
import type { TracingConfig } from './tracing-config.ts';

/** The most spans that wait to be sent; more are dropped. */
const MAX_QUEUED_SPANS = 4_096;

/** How long spans wait for others before they are sent together, in milliseconds. */
const SEND_DELAY_MS = 1_000;

/**
 * The time limit for sending a batch, retries included, in milliseconds. The end of the process may have to wait as
 * long.
 */
const SEND_TIMEOUT_MS = 2_000;

interface Facts {
  readonly version: string;
  /** The database, as OpenTelemetry names it: `sqlite`, `postgresql`. */
  readonly database: string;
  readonly log: Log;
}

/** Collects traces and sends them to a collector, as OTLP over HTTP in JSON. */
export function startTracing(config: TracingConfig, { version, database, log }: Facts): Tracing {
  const exporter = new OTLPTraceExporter({ url: config.url, timeoutMillis: SEND_TIMEOUT_MS });
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    // The environment variables take precedence over the service's own attributes.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': config.serviceName })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reportingExporter(exporter, log),
        maxQueueSize: MAX_QUEUED_SPANS,
        scheduledDelayMillis: SEND_DELAY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('petstore', version);
  // Reaches from the first hook to the handler: Fastify keeps the context while it reads a body.
  const active = new AsyncLocalStorage<Context>();

  return {
    begin(request, parent): RequestSpan {
      const { method, url } = nameOf(request);
      const span = tracer.startSpan(
        url === undefined ? method : `${method} ${url}`,
        { kind: SpanKind.SERVER, attributes: requestAttributes(request, method, url) },
        parentContext(request, parent),
      );
      const context = trace.setSpan(ROOT_CONTEXT, span);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => active.run(context, work),
        end: (status) => endRequest(span, status),
      };
    },

    traced: (store: Store) =>
      tracedStore(store, ({ collection, operation }): CallSpan | undefined => {
        const context = active.getStore();
        // Work without a request, such as that of timers.
        if (!context) return undefined;
        const attributes = {
          'db.system.name': database,
          'db.operation.name': operation,
          'db.collection.name': collection,
        };
        const name = `${operation} ${collection}`;
        const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context);
        return {
          run: (call) => active.run(trace.setSpan(context, span), call),
          end: () => span.end(),
          fail: (error) => {
            fail(span, error instanceof Error ? error.name : 'Error');
            span.end();
          },
        };
      }),

    async close() {
      // The exporter has reported spans that it could not send.
      await provider.shutdown().catch(() => {});
    },
  };
}

function samplerOf({ ratio, isParentBased }: TracingConfig): Sampler {
  const root = ratio === 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function nameOf(request: FastifyRequest): { method: string; url: string | undefined } {
  const method = methodLabel(request.method);
  return { method, url: request.route.url };
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span. No path: see AccessLogEntry. */
function requestAttributes(
  { host, protocol, method: original }: FastifyRequest,
  method: string,
  route: string | undefined,
) {
  return {
    'http.request.method': method,
    ...(original !== method && { 'http.request.method_original': original }),
    ...(route !== undefined && { 'http.route': route }),
    'url.scheme': protocol,
    'server.address': host.replace(/:[0-9]+$/, ''),
  };
}

/** W3C Trace Context: `tracestate` is passed on only together with the trace that it belongs to. */
function parentContext({ headers }: FastifyRequest, parent: TraceContext | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = parent;
  const { tracestate } = headers;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(String(tracestate)) }),
  });
}

function endRequest(span: Span, status: number | undefined): void {
  if (status === undefined) fail(span, 'client_disconnected');
  else span.setAttribute('http.response.status_code', status);
  // A 4xx is an error of the client, not of this service.
  if (status !== undefined && status >= 500) fail(span, `${status}`);
  span.end();
}

function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** How often the log reports that spans are lost, in milliseconds. */
const REPORT_INTERVAL_MS = 60_000;

/** The same exporter, which also logs what it could not send: at once, then once a minute. */
function reportingExporter(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // 0 is success (ExportResultCode).
        if (result.code !== 0) {
          lost += spans.length;
          if (performance.now() - reportedAt > REPORT_INTERVAL_MS) {
            const cause = result.error?.message;
            log.warn(
              { lostSpans: lost, cause },
              'the trace collector accepted no spans; they are lost',
            );
            reportedAt = performance.now();
            lost = 0;
          }
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** The database operation of a call. */
interface Call {
  /** The table. */
  readonly collection: string;
  /** Its name in SQL, such as `SELECT`. */
  readonly operation: string;
}

/** The span of a call. */
interface CallSpan {
  run<T>(call: () => T): T;
  end(): void;
  fail(error: unknown): void;
}

type StartSpan = (call: Call) => CallSpan | undefined;

type Method = (...args: unknown[]) => unknown;

const OPERATIONS: Readonly<Record<string, string>> = {
  ...{ create: 'INSERT', add: 'INSERT', addFirst: 'INSERT', addMany: 'INSERT', place: 'INSERT' },
  ...{
    get: 'SELECT',
    list: 'SELECT',
    query: 'SELECT',
    rows: 'SELECT',
    findUnrevoked: 'SELECT',
    idOf: 'SELECT',
  },
  ...{ update: 'UPDATE', end: 'UPDATE', revoke: 'UPDATE', remove: 'DELETE' },
};

/**
 * The same store, with a span for each call of its resources: from the call to its result, the wait in a queue
 * included. `start` begins a span, or none where nobody traces.
 */
function tracedStore(store: Store, start: StartSpan): Store {
  const { pets, categories, orders, keys } = store;
  return {
    ...store,
    pets: traced(pets, 'pets', start),
    categories: traced(categories, 'categories', start),
    orders: traced(orders, 'orders', start),
    keys: traced(keys, 'api_keys', start),
  };
}

function traced<T extends object>(calls: T, collection: string, start: StartSpan): T {
  const entries = Object.entries(calls).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const operation = OPERATIONS[name] ?? name;
    const method: Method = value.bind(calls);
    return [
      name,
      (...args: unknown[]) => inSpan(start({ collection, operation }), () => method(...args)),
    ];
  });
  return Object.fromEntries(entries) as T;
}

function inSpan(span: CallSpan | undefined, call: () => unknown): unknown {
  if (!span) return call();
  const failed = (error: unknown): never => {
    span.fail(error);
    throw error;
  };
  try {
    const result = span.run(call);
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then((value) => {
      span.end();
      return value;
    }, failed);
  } catch (error) {
    return failed(error);
  }
}
