import type { IncomingHttpHeaders } from 'node:http';

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
