import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { prefix } from '@petstore/service/text.ts';
import { LRUCache } from 'lru-cache';
import type { Manifest } from '../../deploys/artifact.ts';
import type { SiteCache } from '../sites/site-cache.ts';
import type { Site } from '../sites/site-source.ts';
import { type Derived, rootOf, type SiteReader, siteReader } from './site-reader.ts';
import { addTools } from './tools.ts';

/** Memory for parsed files of search indexes and for the spans in documents, of all sites together. */
const MAX_DERIVED_BYTES = 24_000_000;

/** Letters of a site's title in the server's name. */
const MAX_TITLE = 200;

/** The tools are the same for everyone, as long as the edge is the same program. */
const LISTED = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** Answers a message that came by POST, in JSON. Rejects as the cache does. */
export type McpResponder = (
  site: Site,
  manifest: Manifest,
  request: Request,
  message: unknown,
) => Promise<Response>;

/**
 * The MCP server of every site: stateless, with a server of its own for each message. It speaks the revision of
 * 2026-07-28, and those before with clients that begin with `initialize`.
 */
export function mcpResponder(cache: SiteCache): McpResponder {
  const derived: Derived = new LRUCache({ maxSize: MAX_DERIVED_BYTES });
  return async (site, manifest, request, message) => {
    const reader = siteReader(cache, derived, site, manifest);
    const failures: unknown[] = [];
    const makeServer = () => serverOf(reader, (error) => failures.push(error));
    const options = { parsedBody: message };
    const response = (await isLegacyRequest(request, message))
      ? await answerEarlier(makeServer(), request, options)
      : await createMcpHandler(makeServer, { legacy: 'reject', maxSubscriptions: 0 }).fetch(
          request,
          options,
        );
    // Not told to the client: it is the edge's own, and may say what is private.
    if (failures.length > 0) throw failures[0];
    return response;
  };
}

/** By the revisions before 2026-07-28: without a session, and in JSON instead of a stream. */
async function answerEarlier(
  server: McpServer,
  request: Request,
  options: { readonly parsedBody: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}

/** A site's server, which is used for one message. */
function serverOf(reader: SiteReader, fail: (error: unknown) => void): McpServer {
  const { manifest, site } = reader;
  const server = new McpServer(
    {
      name: prefix(manifest.title, MAX_TITLE),
      // Another deploy may have other pages and operations.
      version: site.artifactHash.slice(0, 12),
      websiteUrl: rootOf(site),
    },
    {
      // The tools are always the same.
      capabilities: { tools: { listChanged: false } },
      instructions: `The documentation of ${prefix(manifest.title, MAX_TITLE)} at ${rootOf(site)}. Search first; then read the pages and get the operations that were found.`,
      cacheHints: { 'tools/list': LISTED, 'server/discover': LISTED },
    },
  );
  addTools(server, reader, fail);
  return server;
}
