import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { didYouMean } from '@petstore/service/nearest.ts';
import { type CallApi, NoResponseError } from './api-caller.ts';
import { ArgumentError, apiRequest } from './api-request.ts';
import { callResult, errorResult } from './call-result.ts';
import type { OperationTool } from './operation-tool.ts';

export interface McpServerOptions {
  /** Of the API. */
  readonly info: { readonly title: string; readonly version: string };
  readonly tools: readonly OperationTool[];
  /** Whether the key may use a tool. Others are not listed, and the API refuses calls of them. */
  readonly isAllowed: (tool: OperationTool) => boolean;
  readonly callApi: CallApi;
}

const INSTRUCTIONS =
  'Each tool is an operation of the pet store API, and its result is the response. ' +
  'Ids are 64-bit integers: give them as text, digit for digit. ' +
  'Lists come in pages; the result says with which call they go on. ' +
  'A result that is an error has a code and says what to do. ' +
  'Give an Idempotency-Key, such as a random UUID, to what you may have to repeat.';

/** The same for every message of a key, as long as the service is the same program. */
const LISTED = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** An MCP server whose tools are the operations of the API. */
export function mcpServer({ info, tools, isAllowed, callApi }: McpServerOptions): Server {
  const server = new Server(
    { name: info.title, version: info.version },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': LISTED, 'server/discover': LISTED },
    },
  );
  const byName = new Map(tools.map((tool) => [tool.listing.name, tool]));
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter(isAllowed).map(({ listing }) => listing),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const tool = byName.get(params.name);
    if (!tool) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name)}${didYouMean(params.name, byName.keys())}`,
      );
    }
    try {
      const request = apiRequest(tool, params.arguments ?? {});
      return callResult(tool, tools, await callApi(request, signal));
    } catch (error) {
      if (error instanceof ArgumentError || error instanceof NoResponseError) {
        return errorResult(error.message);
      }
      throw error;
    }
  });
  return server;
}
