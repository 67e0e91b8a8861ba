import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Store } from '../store/store.ts';

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Does work whose spans become children of this one. */
  run(work: () => void): void;
  /** `status`: undefined where the client went away. */
  end(status: number | undefined): void;
}

/** Traces of requests, for a collector. */
export interface Tracing {
  /** Begins the span of a request, as a child of the client's span. */
  begin(request: FastifyRequest, parent: TraceContext | undefined): RequestSpan;
  /** The same store, whose calls have spans. */
  traced(store: Store): Store;
  /** Sends the remaining spans, as far as that is quick. Never rejects. */
  close(): Promise<void>;
}

/** The place of a request in the trace of its client. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The caller's span, 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: the caller records the trace. */
  readonly flags: number;
}

/** https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/**
 * Reads `traceparent` (W3C Trace Context, section 3.2). undefined where it is missing or invalid: then a new trace
 * begins, and the client is not told. Of later versions it reads the known part, as the standard requires.
 */
export function readTraceContext({ traceparent }: IncomingHttpHeaders): TraceContext | undefined {
  // Node joins several headers of this name with commas, which a valid one does not have.
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) {
    return undefined;
  }
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
