import { getFromLog, type LogClientOptions } from './log-client.ts';
import type { CtLog } from './log-list.ts';
import type { Get, LogReader } from './log-reader.ts';
import { rfc6962Log } from './rfc6962-log.ts';
import { staticLog } from './static-log.ts';

/** A reader of one look at a log: it keeps the tiles that it has read. */
export function openLog(log: CtLog, options: LogClientOptions): LogReader {
  const get: Get = (path, maxBytes) => getFromLog(log.url + path, maxBytes, options);
  return log.kind === 'static' ? staticLog(log, get) : rfc6962Log(log, get);
}
