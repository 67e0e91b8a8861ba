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

/** Spans that wait to be sent at most; what comes beyond is dropped. */
const MAX_QUEUED_SPANS = 4_096;

/** How long spans wait for others before they are sent together, in milliseconds. */
const SEND_DELAY_MS = 1_000;

/**
 * How long it may take to send some, tries again included, in milliseconds. As long may the end of the
 * process have to wait.
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
    // What a variable says counts more than what this service would say of itself.
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
  // Lasts from the first hook to the handler: Fastify itself keeps it while a body is read.
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
        // Work that no request asked for, such as that of timers.
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
      // What can't be sent, the exporter has told.
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
  return { method, url: request.is404 ? undefined : request.route.url };
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

/** W3C Trace Context: `tracestate` is passed on with the trace that it belongs to, and never alone. */
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
  // A 4xx is the client's error and not this service's.
  if (status !== undefined && status >= 500) fail(span, `${status}`);
  span.end();
}

function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** How often the log is told that spans are lost, in milliseconds. */
const REPORT_INTERVAL_MS = 60_000;

/** The same exporter, which tells the log what it could not send: at once, then once a minute. */
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
            log.warn({ lostSpans: lost, cause }, 'the collector of traces did not take them');
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

/** What a call asks of the database. */
interface Call {
  /** The table. */
  readonly collection: string;
  /** What SQL calls it, such as `SELECT`. */
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
  ...{ get: 'SELECT', list: 'SELECT', rows: 'SELECT', findActive: 'SELECT', idOf: 'SELECT' },
  ...{ update: 'UPDATE', end: 'UPDATE', revoke: 'UPDATE', remove: 'DELETE' },
};

/**
 * The same store; each call of its resources has a span from the call to what came of it, the waiting for
 * others in a queue included. `start` begins one, or none where nobody traces.
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
