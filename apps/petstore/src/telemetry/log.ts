import { destination, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

export type Log = Logger;

/**
 * The service's log: JSON lines on standard error, so that standard output stays with what a person
 * asked for. No request header is ever passed to it, and so no API key.
 */
export function createLog(level: Config['logLevel']): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination(2));
}
