import type { EdgeRequest } from './http/edge-request.ts';
import { textResponse } from './http/response.ts';

/** What the edge needs of a log, as pino has it. */
export interface EdgeLog {
  isLevelEnabled(level: 'debug'): boolean;
  debug(details: object, message: string): void;
  info(message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** One line for each answer. The path and not the query, which may hold what is nobody's business. */
export function logResponse(
  log: EdgeLog,
  { method, authority, target }: Pick<EdgeRequest, 'method' | 'authority' | 'target'>,
  status: number,
  begun: number,
): void {
  const durationMs = Math.round((performance.now() - begun) * 1_000) / 1_000;
  log.debug(
    { host: authority, method, path: target.split('?')[0], status, durationMs },
    'answered',
  );
}

/** Failures are logged once in this time: when the store is away, every request fails. */
const LOG_INTERVAL_MS = 1_000;

/** What is said of requests and handshakes that fail: to the client, and to the log. */
export function failureReporter(log: EdgeLog) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    response: textResponse(503, 'The site can not be read at the moment.', ['Retry-After', '1']),
    report(error: unknown): void {
      if (performance.now() - loggedAt <= LOG_INTERVAL_MS) return;
      log.error({ err: error }, 'a request can not be answered');
      loggedAt = performance.now();
    },
  };
}

export type FailureReporter = ReturnType<typeof failureReporter>;
