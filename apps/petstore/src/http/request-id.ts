import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * What a client may choose as the id of its request: text that is harmless in every header and log. An id that contains
 * an API key is ignored, since it would be logged.
 */
const WELL_FORMED = /^(?!.*pk_(?:live|test)_)[A-Za-z0-9._-]{1,128}$/;

const ID = Symbol('request id');

/** Returns a request's id, the same each time. Where no request could be read from a connection, the id is new. */
export type RequestIds = (request?: IncomingMessage & { [ID]?: string }) => string;

/**
 * Makes the source of request ids. A request's own `X-Request-Id` is taken where it is well formed. Otherwise it is
 * eight random bytes of the process, then a count: unique across processes and restarts, and cheaper than a random id
 * for each request.
 */
export function requestIds(): RequestIds {
  const process = randomBytes(8).toString('hex');
  let count = 0;
  const next = () => `${process}-${(count++).toString(36)}`;
  return (request) => {
    if (!request) return next();
    request[ID] ??= chosen(request) ?? next();
    return request[ID];
  };
}

function chosen({ headers }: IncomingMessage): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && WELL_FORMED.test(id) ? id : undefined;
}
