import type { IncomingMessage, ServerResponse as NodeResponse } from 'node:http';

/**
 * What the programs use of `node:http`. An import of one of Node's modules reads all of its exports, and one export
 * here is `WebSocket`, for which Node loads its whole client, undici: 45 ms of each start.
 */
export const {
  Agent,
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
