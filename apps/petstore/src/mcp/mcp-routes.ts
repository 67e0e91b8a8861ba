import { isUtf8 } from 'node:buffer';
import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { BaseUrls } from '../addresses.ts';
import type { Authentication } from '../http/admission/authentication.ts';
import type { Check } from '../http/admission/check.ts';
import { requestTimeout } from '../http/api-error.ts';
import { checkBodyHeaders } from '../http/request-checks.ts';
import { responseOf } from '../http/service-response.ts';
import type { Scope } from '../keys/scope.ts';
import { documentDerivatives } from '../openapi/document.ts';
import { parseMessage } from './exact-json.ts';
import type { Respond } from './mcp-http.ts';

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

/** Codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * `POST /mcp`: the operations as tools, for programs that speak MCP. A call of a tool becomes a request of the API with
 * the same key, and passes all that such a request does. Other messages count as a request each.
 */
export const mcpRoutes: FastifyPluginCallback<McpDeps> = (app, deps, done) => {
  const { authentication, check, isCutOff, baseUrls, origins, now } = deps;
  const daily = documentDerivatives(app, { baseUrls, now });
  // The SDK and what it needs are loaded with the first message: a service without agents need not hold them.
  let loading: Promise<Respond> | undefined;
  const load = () => {
    loading ??= import('./mcp-http.ts').then(({ describedBy, mcpResponder }) =>
      mcpResponder(app.server, daily(describedBy)),
    );
    return loading;
  };

  app.decorateRequest('apiKey');
  app.addHook('preParsing', checkBodyHeaders);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    function keepBytes(request, body, done) {
      // The service has responded 408 already: a body that arrives after that must not be carried out.
      done(isCutOff(request.raw) ? requestTimeout() : null, body);
    },
  );

  app.post(
    '/mcp',
    {
      config: { stability: 'experimental' },
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
      const admit = () => check({ key, config: anyScope(key.scopes), response: responseOf(reply) });
      const { message, problem } = readMessage(request.body as Buffer | undefined);
      const isCall = isToolCall(message);
      if (!isCall) await admit();
      if (problem) return reply.code(400).header('cache-control', 'no-store').send(problem);
      const respond = await load();
      const { response, hasCalled } = await respond(request, reply, message);
      // A call for which no request could be made is one all the same.
      if (isCall && !hasCalled) await admit();
      const type = response.headers.get('content-type');
      if (type !== null) reply.header('content-type', type);
      return reply
        .code(response.status)
        .header('cache-control', 'no-store')
        .send(await response.text());
    },
  );
  done();
};

/** The message in a body, or the error in JSON-RPC of one that has none. */
function readMessage(body: Buffer = Buffer.alloc(0)): { message?: unknown; problem?: object } {
  // What is not would become other characters, which the API could not tell from those that are meant.
  if (!isUtf8(body)) return problem(PARSE_ERROR, 'The message is not valid UTF-8.');
  let message: unknown;
  try {
    message = parseMessage(body.toString());
  } catch (error) {
    return problem(PARSE_ERROR, `The message is not JSON: ${(error as Error).message}.`);
  }
  // Revisions since 2025-06-18 have none, and one would be many requests in the place of one.
  return Array.isArray(message)
    ? problem(INVALID_REQUEST, 'Send each message by itself: there are no batches.')
    : { message };
}

function problem(code: number, message: string) {
  return { problem: { jsonrpc: '2.0', id: null, error: { code, message } } };
}

function isToolCall(message: unknown): boolean {
  return (message as { method?: unknown } | null | undefined)?.method === 'tools/call';
}

/** The route of a message needs no scope of its own: the operations behind it have theirs. */
function anyScope([scope = 'admin']: readonly Scope[]) {
  return { scope };
}

/** A page that a name was bound to this service for (DNS rebinding) has another origin. */
function otherOrigin(): ApiError {
  return new ApiError(
    'forbidden',
    'Pages of this origin may not send messages. PETSTORE_CORS_ORIGINS names those that may.',
  );
}
