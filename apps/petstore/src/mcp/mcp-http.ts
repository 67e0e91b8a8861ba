import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type McpServerOptions, mcpServer } from './mcp-server.ts';

/**
 * Responds to a message that came by POST, in JSON. It speaks the revision of 2026-07-28, and those before with clients
 * that begin with `initialize`; both without sessions, with a server of its own for each message.
 */
export async function respondToMessage(
  request: Request,
  message: unknown,
  options: McpServerOptions,
): Promise<Response> {
  const makeServer = () => mcpServer(options);
  if (await isLegacyRequest(request, message)) {
    return respondEarlier(makeServer(), request, message);
  }
  const handler = createMcpHandler(makeServer, {
    ...{ legacy: 'reject', maxSubscriptions: 0 },
  });
  return handler.fetch(request, { parsedBody: message });
}

/** By the revisions before 2026-07-28: without a session, and in JSON instead of a stream. */
async function respondEarlier(
  server: Server,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}
