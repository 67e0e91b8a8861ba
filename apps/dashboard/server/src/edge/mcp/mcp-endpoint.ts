import { concurrencyLimit } from '@petstore/service/concurrency-limit.ts';
import { withTimeout } from '@petstore/service/with-timeout.ts';
import { clientLimit } from '../client-limit.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import { type EdgeResponse, textResponse } from '../http/response.ts';
import type { ReaderCounts } from '../readers/reader-counts.ts';
import { type Headers, isOpenToPages } from '../sites/file-headers.ts';
import { fileAt } from '../sites/manifest-paths.ts';
import type { SiteCache } from '../sites/site-cache.ts';
import { addressAt, type HostRedirect, type Site } from '../sites/site-source.ts';
import { callRate } from './call-rate.ts';
import { MCP_PATH } from './mcp-path.ts';
import type { McpResponder } from './mcp-server.ts';

/** The tools that `addTools` adds, which this edge loads when the first message comes. */
const TOOL_NAMES = ['search', 'read_page', 'get_operation'] as const;

/** Questions are short. */
const MAX_BODY_BYTES = 64 * 1024;

/** Messages that this process answers at once, and those that wait. Each may hold a document in memory. */
const MAX_RUNNING = 4;
const MAX_WAITING = 60;

/** Bodies that are on their way: clients may take their time. */
const MAX_READING = 200;

/** Messages of one client that arrive, wait or are answered at once, so that it leaves room for others. */
const MAX_OF_CLIENT = 8;

/** For the body, and for the answer, in milliseconds. */
const BODY_MS = 10_000;
const ANSWER_MS = 20_000;

const ALLOW = ['Allow', 'POST, OPTIONS'];

/**
 * Documentation that is public needs no cookies, so pages of any origin may ask, as they may fetch Markdown. A
 * name that is bound to another address (DNS rebinding) leads nowhere: the edge answers for the hosts of sites alone.
 */
const CORS: Headers = [
  ...['Access-Control-Allow-Origin', '*'],
  ...['Access-Control-Expose-Headers', 'Retry-After'],
];
const corsOf = (site: Site): Headers => (isOpenToPages(site) ? CORS : []);
const PREFLIGHT = [
  ...['Access-Control-Allow-Methods', 'POST'],
  // Versions of the protocol differ in their headers. This leaves Authorization out.
  ...['Access-Control-Allow-Headers', '*'],
  ...['Access-Control-Max-Age', '7200'],
];

/** Headers of a request that the server reads: those of the protocol begin with `mcp-`. */
const READ_HEADERS = /^(?:content-type|accept|mcp-.*)$/;

/** A scheme, a host and a port; or `null`, which pages without an origin send (RFC 6454, section 7.1). */
const ORIGIN = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)$/i;

/** Codes of JSON-RPC 2.0, section 5.1; the last one is for errors of a server's own. */
const CODES = { parse: -32700, request: -32600, server: -32000 } as const;

interface McpRequest {
  readonly request: EdgeRequest;
  readonly site: Site;
  /** Headers of every response. */
  readonly always: Headers;
  /** Where the site is, if not at this host. */
  readonly redirect: HostRedirect | undefined;
}

/**
 * Answers requests for a site's MCP server: messages come by POST, and each is answered in JSON. Returns undefined where
 * the site has no server, or a page of its own at the path: then the request is one for a file.
 */
export function mcpEndpoint(cache: SiteCache, counts: ReaderCounts) {
  const rate = callRate();
  const limited = concurrencyLimit(
    MAX_RUNNING,
    MAX_WAITING,
    () => new McpError(503, 'Too many messages are waiting. Try again in a second.'),
  );
  const limitedToShare = clientLimit(
    MAX_OF_CLIENT,
    () => new McpError(429, 'Too many messages at once. Wait for an answer before the next one.'),
  );
  // The SDK and what it needs take some 20 MB: an edge that nobody asks does not load them.
  let loading: Promise<McpResponder> | undefined;
  const load = () => {
    loading ??= import('./mcp-server.ts').then(({ mcpResponder }) => mcpResponder(cache));
    return loading;
  };
  let reading = 0;

  const readMessage = async (readBody: EdgeRequest['readBody']): Promise<unknown> => {
    if (reading === MAX_READING)
      throw new McpError(503, 'Too many messages are arriving. Try again in a second.');
    reading += 1;
    try {
      const late = () => new McpError(408, 'The message did not arrive in time.');
      const body = await withTimeout(readBody(MAX_BODY_BYTES), BODY_MS, late);
      if (!body) throw new McpError(413, `A message has at most ${MAX_BODY_BYTES} bytes.`);
      return parse(body);
    } finally {
      reading -= 1;
    }
  };

  const answer = async ({ request, site }: McpRequest): Promise<Response> => {
    const message = await readMessage(request.readBody);
    const tool = site.countsReaders && !site.isPreview ? calledTool(message) : undefined;
    if (tool !== undefined) counts.count(site.projectId, 'tool', tool);
    return limited(async () => {
      const respond = await load();
      const manifest = await cache.manifest(site.artifactHash);
      const late = () => new McpError(503, 'The answer took too long. Try again.');
      // What the thread does for others meanwhile is counted too: where it is busy, less is answered.
      const before = process.threadCpuUsage();
      try {
        return await withTimeout(
          respond(site, manifest, webRequest(request, site), message),
          ANSWER_MS,
          late,
        );
      } finally {
        const { user, system } = process.threadCpuUsage(before);
        rate.spend(site.projectId, (user + system) / 1_000);
      }
    });
  };

  const answerPost = async (asked: McpRequest): Promise<EdgeResponse> => {
    const { origin } = asked.request.headers;
    const headers = [...asked.always, ...corsOf(asked.site)];
    try {
      if (origin !== undefined && !ORIGIN.test(origin))
        throw new McpError(403, 'The Origin header is not an origin.');
      const client = asked.request.client();
      if (!rate.take(asked.site.projectId, client))
        throw new McpError(429, 'Too many messages. Try again in a second.');
      return await edgeResponse(await limitedToShare(client, () => answer(asked)), headers);
    } catch (error) {
      if (error instanceof McpError) return edgeResponse(error.response(), headers);
      throw error;
    }
  };

  /** There is nothing to get: before 2026-07-28 a client may ask whether there is a stream of events. */
  const answerGet = async ({ site, always }: McpRequest): Promise<EdgeResponse | undefined> => {
    const manifest = await cache.manifest(site.artifactHash);
    if (fileAt(manifest, MCP_PATH)) return undefined;
    const text = `This is the MCP server of ${site.origin}${site.base ?? ''}, for assistants: they send messages here by POST.`;
    return textResponse(405, text, [...always, ...corsOf(site), ...ALLOW]);
  };

  return (asked: McpRequest): Promise<EdgeResponse | undefined> | EdgeResponse | undefined => {
    const { request, site, always, redirect } = asked;
    const isPost = request.method === 'POST';
    if (!site.mcp) return isPost ? textResponse(404, undefined, always) : undefined;
    if (request.method === 'OPTIONS') {
      const headers = [...always, ...corsOf(site), ...PREFLIGHT, ...ALLOW];
      return { status: 204, headers, content: '' };
    }
    // 308, unlike 301, keeps the message.
    if (isPost && redirect) {
      return textResponse(308, undefined, [
        ...always,
        ...corsOf(site),
        'Location',
        addressAt(redirect, (site.base ?? '') + MCP_PATH),
      ]);
    }
    if (isPost) return answerPost(asked);
    return redirect ? undefined : answerGet(asked);
  };
}

export type McpEndpoint = ReturnType<typeof mcpEndpoint>;

/** A message that no tool sees, with the reason in JSON-RPC. */
class McpError extends Error {
  readonly #status: number;
  readonly #code: number;

  constructor(status: number, message: string, code: number = CODES.server) {
    super(message);
    this.#status = status;
    this.#code = code;
  }

  response(): Response {
    const error = { code: this.#code, message: this.message };
    const isBusy = this.#status === 429 || this.#status === 503;
    return Response.json(
      { jsonrpc: '2.0', id: null, error },
      { status: this.#status, headers: isBusy ? { 'Retry-After': '1' } : {} },
    );
  }
}

/** The tool that a message calls; undefined where it calls none of the site's. */
function calledTool(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? TOOL_NAMES.find((name) => name === params?.name) : undefined;
}

function parse(body: Buffer): unknown {
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    throw new McpError(400, 'The message is not valid JSON.', CODES.parse);
  }
  // Revisions since 2025-06-18 have none, and one would be many calls in the place of one.
  if (Array.isArray(message))
    throw new McpError(
      400,
      'Send each message by itself: this server takes no batches.',
      CODES.request,
    );
  return message;
}

function webRequest({ headers }: EdgeRequest, { origin }: Site): Request {
  const read = Object.entries(headers).filter(([name]) => READ_HEADERS.test(name));
  return new Request(origin + MCP_PATH, {
    method: 'POST',
    headers: read.map(([name, value]): [string, string] => [name, String(value)]),
  });
}

async function edgeResponse(response: Response, shared: Headers): Promise<EdgeResponse> {
  const content = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  const retry = response.headers.get('retry-after');
  return {
    status: response.status,
    headers: [
      ...(type === null ? [] : ['Content-Type', type]),
      ...['X-Content-Type-Options', 'nosniff'],
      ...['Cache-Control', 'no-store'],
      ...shared,
      ...(retry === null ? [] : ['Retry-After', retry]),
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}
