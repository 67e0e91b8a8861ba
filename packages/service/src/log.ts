import type { onResponseHookHandler } from 'fastify';
import { destination, type Logger, pino } from 'pino';
import type { LogLevel } from './environment.ts';

export type Log = Logger;

/**
 * The service's log: JSON lines on standard error, so that standard output is free for the output of commands. No
 * request header is ever logged, and so no API key. `base`: the fields of every line.
 */
export function createLog(
  level: LogLevel,
  base: Readonly<Record<string, unknown>> | null = null,
): Log {
  const options = {
    level,
    base,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination(2));
}

/**
 * Logs a line for each request. It names the route and not the path or the query: a client may have put its key there
 * by mistake.
 */
export function logRequest(log: Log): onResponseHookHandler {
  return (request, reply, done) => {
    const { method, id: requestId, routeOptions } = request;
    const { statusCode: status, elapsedTime } = reply;
    const durationMs = Math.round(elapsedTime * 1_000) / 1_000;
    log.debug({ requestId, method, route: routeOptions.url, status, durationMs }, 'request');
    done();
  };
}
