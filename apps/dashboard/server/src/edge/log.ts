import { FailureLog } from '@petstore/service/failure-log.ts';
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

/** Logs one line for each response. The query is left out: it may hold personal data. */
export function logResponse(
  log: EdgeLog,
  { method, authority, target }: Pick<EdgeRequest, 'method' | 'authority' | 'target'>,
  status: number,
  begun: number,
): void {
  const durationMs = Math.round((performance.now() - begun) * 1_000) / 1_000;
  log.debug({ host: authority, method, path: target.split('?')[0], status, durationMs }, 'request');
}

/** The response to a request that failed, and the log of failed requests and handshakes. */
export function failureReporter(log: EdgeLog) {
  const failures = new FailureLog(log);
  return {
    response: textResponse(503, 'The site cannot be read at the moment.', ['Retry-After', '1']),
    report(error: unknown): void {
      failures.note({ code: 'unavailable' }, error);
    },
  };
}

export type FailureReporter = ReturnType<typeof failureReporter>;
