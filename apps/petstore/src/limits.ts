import { type Env, integer } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';

/** The default that the document names, whatever is configured. */
export const DEFAULT_MAX_HEADER_BYTES = 16_384;

const HOUR_MS = 3_600_000;

/** How much of its time and memory the service lets clients use. */
export interface Limits {
  /** How long a client may take to send the header section, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** How long a client may take to send a whole request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a client may take to read a response, in milliseconds. */
  readonly responseTimeoutMs: number;
  /** How long a connection may lie idle between two requests, in milliseconds. */
  readonly keepAliveTimeoutMs: number;
  /** Connections that may be open at once. */
  readonly maxConnections: number;
  /** Largest request line and header section together, in bytes. */
  readonly maxHeaderBytes: number;
  /** Header fields of a request, at most. */
  readonly maxHeaders: number;
  /** Requests that may be under way at once. */
  readonly maxRequestsInFlight: number;
  /** Writes that may wait for the database. */
  readonly maxQueuedWrites: number;
  /** How long the quickest turn of the event loop may take, in milliseconds; 0 for any time. */
  readonly maxEventLoopDelayMs: number;
}

/** Reads them from environment variables. Throws a UserError that names the one that cannot be used. */
export function readLimits(env: Env): Limits {
  const headersTimeoutMs = integer(env, 'PETSTORE_HEADERS_TIMEOUT_MS', 10_000, 1, HOUR_MS);
  const requestTimeoutMs = integer(env, 'PETSTORE_REQUEST_TIMEOUT_MS', 30_000, 1, HOUR_MS);
  if (headersTimeoutMs > requestTimeoutMs) {
    throw new UserError(
      `PETSTORE_HEADERS_TIMEOUT_MS (${headersTimeoutMs}) must not exceed PETSTORE_REQUEST_TIMEOUT_MS (${requestTimeoutMs}): the headers are part of the request.`,
    );
  }
  return {
    headersTimeoutMs,
    requestTimeoutMs,
    responseTimeoutMs: integer(env, 'PETSTORE_RESPONSE_TIMEOUT_MS', 60_000, 1, HOUR_MS),
    // Longer than a minute, for which load balancers keep an idle connection: the balancer, which sends the requests,
    // must be the side that closes.
    keepAliveTimeoutMs: integer(env, 'PETSTORE_KEEP_ALIVE_TIMEOUT_MS', 72_000, 1, HOUR_MS),
    maxConnections: integer(env, 'PETSTORE_MAX_CONNECTIONS', 10_000, 1, 1_000_000),
    // At least as long as the longest target.
    maxHeaderBytes: integer(
      env,
      'PETSTORE_MAX_HEADER_BYTES',
      DEFAULT_MAX_HEADER_BYTES,
      8_192,
      131_072,
    ),
    maxHeaders: integer(env, 'PETSTORE_MAX_HEADERS', 100, 10, 2_000),
    maxRequestsInFlight: integer(env, 'PETSTORE_MAX_REQUESTS_IN_FLIGHT', 10_000, 1, 1_000_000),
    maxQueuedWrites: integer(env, 'PETSTORE_MAX_QUEUED_WRITES', 8_192, 1, 1_000_000),
    maxEventLoopDelayMs: integer(env, 'PETSTORE_MAX_EVENT_LOOP_DELAY_MS', 250, 0, 60_000),
  };
}
