import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * What a client may choose as the id of its request: harmless in every header and log. One that
 * contains an API key, put there by mistake, would be logged, so it is not taken.
 */
const WELL_FORMED = /^(?!.*pk_(?:live|test)_)[A-Za-z0-9._-]{1,128}$/;

const ID = Symbol('request id');

/** Gives a request's id, the same each time; a new one for a connection that no request was read from. */
export type RequestIds = (request?: IncomingMessage & { [ID]?: string }) => string;

/**
 * Makes the source of request ids. A request's own `X-Request-Id` is taken where it is well formed.
 * Otherwise: eight random bytes for the process, then a count. Unique across processes and restarts, and
 * cheaper than a random id for each request.
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
