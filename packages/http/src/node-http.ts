import type { IncomingMessage, ServerResponse as NodeResponse } from 'node:http';

/**
 * What the programs use of `node:http`. To import a module of Node's own reads all that it exports, and one export of
 * this is `WebSocket`, for which Node loads its whole client, undici: 45 ms of each start.
 */
export const {
  createServer,
  METHODS,
  request,
  ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue,
} = process.getBuiltinModule('node:http');

export type ServerResponse<Request extends IncomingMessage = IncomingMessage> =
  NodeResponse<Request>;
