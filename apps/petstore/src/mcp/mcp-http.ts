import type { Server as HttpServer } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { covers, type Scope } from '../keys/scope.ts';
import { apiCaller } from './api-caller.ts';
import { type McpServerOptions, mcpServer } from './mcp-server.ts';
import { MemoryConnections } from './memory-connection.ts';
import { type ApiDocument, toolsOf } from './tools-of-document.ts';

/** Headers that the operation's own request has from the message's: who asks, through what, with which faults. */
const PASSED_ON = [
  ...['authorization', 'user-agent', 'forwarded', 'x-forwarded-for', 'via'],
  ...['traceparent', 'tracestate', 'petstore-fault'],
];

/** Headers that the SDK reads. */
const OF_PROTOCOL = /^mcp-/;

/** Addresses for requests of this process, which no name leads to (RFC 6761, section 6.4). */
const OWN_BASE_URL = 'http://petstore.invalid/v1';
const OWN_MCP_URL = 'http://petstore.invalid/mcp';

/** A response to a message, and whether a request of the API was made for it. */
export interface Responded {
  readonly response: Response;
  readonly hasCalled: boolean;
}

/** Responds to a message whose key is known. */
export type Respond = (
  request: FastifyRequest,
  reply: FastifyReply,
  message: unknown,
) => Promise<Responded>;

/**
 * Responds to messages that come by POST, in JSON. `server`: takes the requests of the API. `describe`: gives the
 * document of the operations as of today.
 */
export function mcpResponder(server: HttpServer, describe: () => Promise<Described>): Respond {
  const connections = new MemoryConnections(server);
  return async (request, reply, message) => {
    const { scopes: ofKey } = request.apiKey;
    const callApi = apiCaller({
      baseUrl: OWN_BASE_URL,
      headers: { ...passedOn(request), 'x-request-id': request.id },
      agent: connections.agentOf(request.socket),
    });
    let hasCalled = false;
    const response = await respondToMessage(webRequest(request, reply), message, {
      ...(await describe()),
      isAllowed: ({ scopes }) => scopes.every((scope) => covers(ofKey, scope as Scope)),
      callApi: (...args) => {
        hasCalled = true;
        return callApi(...args);
      },
    });
    return { response, hasCalled };
  };
}

export type Described = Pick<McpServerOptions, 'info' | 'tools'>;

export function describedBy(document: ApiDocument): Described {
  return { info: document.info, tools: toolsOf(document) };
}

/**
 * It speaks the revision of 2026-07-28, and those before with clients that begin with `initialize`; both without
 * sessions, with a server of its own for each message.
 */
async function respondToMessage(
  request: Request,
  message: unknown,
  options: McpServerOptions,
): Promise<Response> {
  const makeServer = () => mcpServer(options);
  if (await isLegacyRequest(request, message)) {
    return respondEarlier(makeServer(), request, message);
  }
  const handler = createMcpHandler(makeServer, { legacy: 'reject', maxSubscriptions: 0 });
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

function passedOn({ headers }: FastifyRequest): Record<string, string> {
  const found = PASSED_ON.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(found);
}

/** The message's request for the SDK. It responds in JSON, whatever else a client would take. */
function webRequest({ headers }: FastifyRequest, { raw }: FastifyReply): Request {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  const ofProtocol = Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name));
  return new Request(OWN_MCP_URL, {
    method: 'POST',
    headers: [
      ...ofProtocol.map(([name, value]): [string, string] => [name, String(value)]),
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ],
    signal: left.signal,
  });
}
