import type { FastifyRequest } from 'fastify';
import type { Store } from '../store/store.ts';
import type { TraceContext } from './trace-context.ts';

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
