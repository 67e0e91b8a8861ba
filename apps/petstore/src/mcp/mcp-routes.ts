import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import type { Authentication } from '../http/admission/authentication.ts';
import type { Check } from '../http/admission/check.ts';
import { requestTimeout } from '../http/api-error.ts';
import { responseOf } from '../http/service-response.ts';
import { covers, type Scope } from '../keys/scope.ts';
import { documentDerivatives } from '../openapi/document.ts';
import { apiCaller } from './api-caller.ts';
import { parseMessage } from './exact-json.ts';
import { MemoryConnections } from './memory-connection.ts';
import type { OperationTool } from './operation-tool.ts';
import { toolsOf } from './tools-of-document.ts';

interface McpDeps {
  readonly authentication: Authentication;
  /** What a request with an active key has to pass. */
  readonly check: Check;
  /** Whether the service responded to a request, and ended its connection, while the request was still arriving. */
  readonly isCutOff: (request: FastifyRequest['raw']) => boolean;
  readonly baseUrls: () => BaseUrls;
  /** Origins of pages that may send messages. */
  readonly origins: () => readonly string[];
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

const stability = 'experimental';

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** Headers that the operation's own request has from the message's: who asks, through what, with which faults. */
const PASSED_ON = [
  ...['authorization', 'user-agent', 'forwarded', 'x-forwarded-for', 'via'],
  ...['traceparent', 'tracestate', 'petstore-fault'],
];

/** Headers that the SDK reads. */
const OF_PROTOCOL = /^mcp-/;

/** Where the operations are for requests of this process, whatever the public address. */
const OWN_BASE_URL = 'http://petstore.invalid/v1';

/**
 * `POST /mcp`: the operations as tools, for programs that speak MCP. A call of a tool becomes a request of the API with
 * the same key, and passes all that such a request does. Other messages count as a request each.
 */
export const mcpRoutes: FastifyPluginCallback<McpDeps> = (app, deps, done) => {
  const { authentication, check, isCutOff, baseUrls, origins, now } = deps;
  const daily = documentDerivatives(app, { baseUrls, now });
  const described = daily((document) => ({ info: document.info, tools: toolsOf(document) }));
  const connections = new MemoryConnections(app.server);
  // The SDK is loaded with the first message: it takes time and memory that a service without agents need not spend.
  const load = () => import('./mcp-http.ts');

  app.decorateRequest('apiKey');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    function keepBytes(request, body, done) {
      if (isCutOff(request.raw)) done(requestTimeout());
      else done(null, body);
    },
  );

  app.post(
    '/mcp',
    {
      config: { stability },
      schema: { hide: true },
      onRequest: [
        function refuseOtherOrigins({ headers: { origin } }, _reply, done) {
          done(origin === undefined || origins().includes(origin) ? undefined : otherOrigin());
        },
        async function authenticate(request) {
          request.apiKey = await authentication.keyOf(request.raw, () => request.ip);
        },
      ],
    },
    async (request, reply) => {
      const { apiKey: key } = request;
      const message = messageIn(request.body as Buffer);
      if (message instanceof MessageError) return reply.code(400).send(message.body);
      const admit = () => check({ key, route: anyScope(key.scopes), response: responseOf(reply) });
      let hasAsked = false;
      const isCall = methodOf(message) === 'tools/call';
      if (!isCall) await admit();
      const callApi = apiCaller({
        baseUrl: OWN_BASE_URL,
        headers: { ...passedOn(request), 'x-request-id': request.id },
        agent: connections.agentOf(request.socket),
      });
      const [{ respondToMessage }, { info, tools }] = await Promise.all([load(), described()]);
      const response = await respondToMessage(webRequest(request, reply.raw), message, {
        ...{ info, tools },
        isAllowed: ({ scopes }: OperationTool) =>
          scopes.every((scope) => covers(key.scopes, scope as Scope)),
        callApi: (...args) => {
          hasAsked = true;
          return callApi(...args);
        },
      });
      // A call of which no request was made is one all the same.
      if (isCall && !hasAsked) await admit();
      const type = response.headers.get('content-type');
      return reply
        .code(response.status)
        .headers({ 'cache-control': 'no-store', ...(type !== null && { 'content-type': type }) })
        .send(await response.text());
    },
  );
  done();
};

/** A body that is no message. */
class MessageError {
  readonly body: object;

  constructor(code: number, message: string) {
    this.body = { jsonrpc: '2.0', id: null, error: { code, message } };
  }
}

function messageIn(body: Buffer | undefined): unknown {
  let message: unknown;
  try {
    message = parseMessage((body ?? '').toString());
  } catch (error) {
    return new MessageError(PARSE_ERROR, `The message is not JSON: ${(error as Error).message}.`);
  }
  // Revisions since 2025-06-18 have none, and one would be many requests in the place of one.
  return Array.isArray(message)
    ? new MessageError(INVALID_REQUEST, 'Send each message by itself: there are no batches.')
    : message;
}

function methodOf(message: unknown): unknown {
  return (message as { method?: unknown } | null)?.method;
}

/** The route of a message needs no scope of its own: the operations behind it have theirs. */
function anyScope([scope = 'admin']: readonly Scope[]) {
  return { scope };
}

function passedOn({ headers }: FastifyRequest): Record<string, string> {
  const found = PASSED_ON.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(found);
}

/** The message's request for the SDK. It responds in JSON, whatever else a client would take. */
function webRequest({ headers }: FastifyRequest, response: NodeJS.EventEmitter): Request {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const ofProtocol = Object.entries(headers).filter(([name]) => OF_PROTOCOL.test(name));
  return new Request('http://petstore.invalid/mcp', {
    method: 'POST',
    headers: [
      ...ofProtocol.map(([name, value]): [string, string] => [name, String(value)]),
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
    ],
    signal: left.signal,
  });
}

/** A page that a name was bound to this service for (DNS rebinding) has another origin. */
function otherOrigin(): ApiError {
  return new ApiError(
    'forbidden',
    'Pages of this origin may not send messages. PETSTORE_CORS_ORIGINS names those that may.',
  );
}
