/**
 * What the report keeps of one request with a sandbox's key. Nothing secret is in it: bodies and Idempotency-Keys are
 * digests, and of the target there is only what the service itself understands.
 */
export interface RecordedRequest {
  /** Counts the requests of a sandbox from 1, in the order in which they were written down. */
  readonly number: number;
  /** When its head had arrived, in milliseconds since 1970, by a clock that never goes back. */
  readonly at: number;
  /** From then to the end of the response, or to when the connection broke. */
  readonly durationMs: number;
  /** It was the first over its connection, as far as keys of sandboxes are concerned. */
  readonly opensConnection?: boolean | undefined;
  readonly method: string;
  /** The operation, as the document calls it; undefined for a path or a method that no operation has. */
  readonly operation?: string | undefined;
  /** The path as the route has it, such as `/v1/pets/:petId`; undefined for an unknown path. */
  readonly path?: string | undefined;
  /** Path and query, with `…` in place of every value that the service does not understand. */
  readonly target: string;
  /** The status that was sent, at least its head; undefined where the client cannot have seen one. */
  readonly status?: number | undefined;
  /** The client closed the connection before the response was over. */
  readonly clientLeft?: boolean | undefined;
  /** The fault that was applied, as `Petstore-Fault-Applied` has it. */
  readonly fault?: string | undefined;
  /** Where the request's target had a credential: the parameter's name, or `path`. */
  readonly credentialIn?: string | undefined;
  /** By HTTP/1.0, in which a connection has one request unless both sides say otherwise. nginx asks so for its clients. */
  readonly isHttp10?: boolean | undefined;
  /** The response has no end of its own: events as they come. */
  readonly isStream?: boolean | undefined;
  /** A proxy says that it stands between (`Via`, `Forwarded`, `X-Forwarded-For`). */
  readonly viaProxy?: boolean | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifMatch?: string | undefined;
  /** A digest of the Idempotency-Key. */
  readonly idempotencyKey?: string | undefined;
  /** A digest of the body. */
  readonly body?: string | undefined;
  /** Integers beyond 2^53 in the request's path and body, in decimal. */
  readonly usedIds?: readonly string[] | undefined;
  /** Integers beyond 2^53 in the response's body, in decimal. */
  readonly sentIds?: readonly string[] | undefined;
  readonly etag?: string | undefined;
  /** The target of the response's `Link` with `rel="next"`, written as `target` is. */
  readonly next?: string | undefined;
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number | undefined;
  /** When the operation goes, where the response says that it is deprecated: `Sunset` in milliseconds since 1970. */
  readonly sunset?: number | undefined;
  /** The response ended the connection (`Connection: close`). */
  readonly closes?: boolean | undefined;
  /** The request asked for that. */
  readonly asksToClose?: boolean | undefined;
}

/** A request before it has its number. */
export type UnnumberedRequest = Omit<RecordedRequest, 'number'>;

/** What was noted of a sandbox since the last time. */
export interface RequestBatch {
  readonly sandbox: string;
  readonly requests: readonly UnnumberedRequest[];
  /** How many before these were not written down. Their numbers stay free. */
  readonly lost: number;
}

/** A batch that could not be written, and why. */
export interface UnwrittenBatch {
  readonly batch: RequestBatch;
  readonly error: unknown;
}

/** One attempt to deliver an event to an endpoint of the sandbox. */
export interface RecordedDelivery {
  readonly endpoint: string;
  readonly eventId: string;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  /** The status that the endpoint gave; undefined where it gave none. */
  readonly status?: number | undefined;
  /** It gave none in time. */
  readonly timedOut?: boolean | undefined;
  /** The service signed it wrongly on purpose. */
  readonly isForged?: boolean | undefined;
}

/** All that is known of a client. */
export interface Recording {
  /** In the order in which they arrived. */
  readonly requests: readonly RecordedRequest[];
  /** Whether every request since the beginning is there: only the newest are kept. */
  readonly isWhole: boolean;
  readonly deliveries: readonly RecordedDelivery[];
  /** The client has said that it is done: what it has not done yet, it will not do. */
  readonly isOver: boolean;
  /** How long the client may wait for a response, in milliseconds. */
  readonly longestWaitMs: number;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
  /** How many animals of the sandbox have each name; undefined where nobody has counted. */
  readonly names?: ReadonlyMap<string, number> | undefined;
}

/** When the response was over, or the connection. */
export function endOf({ at, durationMs }: RecordedRequest): number {
  return at + durationMs;
}

/** The value of a query parameter in a recorded target; undefined where it has none. */
export function parameterOf(target: string, name: string): string | undefined {
  return new URLSearchParams(target.split('?', 2)[1] ?? '').get(name) ?? undefined;
}

/** The requests for pages of a list by their cursors, in the order in which they came. */
export function byCursor(requests: readonly RecordedRequest[]): Map<string, RecordedRequest[]> {
  const found = new Map<string, RecordedRequest[]>();
  for (const request of requests) {
    const cursor = request.method === 'GET' ? parameterOf(request.target, 'cursor') : undefined;
    if (cursor === undefined) continue;
    const same = found.get(cursor);
    if (same) same.push(request);
    else found.set(cursor, [request]);
  }
  return found;
}

/** Faults after which a client cannot read the response, whatever its status. */
const UNREADABLE = new Set(['cut', 'reset', 'malformed', 'length', 'type', 'duplicate']);

/** The kinds of the faults that were applied to a request. */
export function faultKinds({ fault }: RecordedRequest): string[] {
  return fault === undefined
    ? []
    : fault.split(',').map((item) => item.split(/[=;]/, 1)[0]?.trim() ?? '');
}

/** Whether the client got no response that it could use, through no fault of the request. */
export function failedInPassing(request: RecordedRequest): boolean {
  const { status, clientLeft } = request;
  return (
    status === undefined ||
    clientLeft === true ||
    TRANSIENT.has(status) ||
    faultKinds(request).some((kind) => UNREADABLE.has(kind))
  );
}

/** Whether a response could be used: it came, and has the members without which a client may well be lost. */
export function isReadable(request: RecordedRequest): boolean {
  return !failedInPassing(request) && !/drift=(?:missing|all)/.test(request.fault ?? '');
}

/** Statuses after which the same request may succeed (RFC 9110, sections 15.5.9 and 15.6; RFC 6585). */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether a failed request may have been carried out all the same. 429 says that it was not. */
export function mayHaveHappened(request: RecordedRequest): boolean {
  return failedInPassing(request) && request.status !== 429 && request.status !== 425;
}
