import { UserError } from '@petstore/service/user-error.ts';
import type { Command } from 'commander';
import type { ApiDocument } from '../mcp/tools-of-document.ts';
import { expectSuccess, send, serviceUrl, URL_OPTION } from './service-client.ts';
import { subcommand } from './subcommand.ts';

/** Not a setting of the service: where people keep their key. */
const KEY_VARIABLE = 'PETSTORE_KEY';

interface McpOptions {
  readonly url?: string;
  readonly key?: string;
}

export function mcpCommand(): Command {
  return subcommand('mcp')
    .description(
      'Offer the operations of a running service to an agent, as tools of the Model Context Protocol at standard input and output.',
    )
    .option(...URL_OPTION)
    .option(
      '--key <key>',
      `API key; by default that in ${KEY_VARIABLE}, which others on this machine cannot see`,
    )
    .action(async ({ url, key = process.env[KEY_VARIABLE] }: McpOptions) => {
      if (!key) {
        throw new UserError(
          `There is no API key. Put one into ${KEY_VARIABLE}: \`petstore keys create\` makes it, or \`petstore sandbox create\` to practise.`,
        );
      }
      await serveMcp(serviceUrl(url), key);
    });
}

async function serveMcp(baseUrl: string, key: string): Promise<void> {
  const [document, usable] = await Promise.all([fetchDocument(baseUrl), usableTools(baseUrl, key)]);
  const [{ toolsOf }, { apiCaller }, { serveAtStdio }] = await Promise.all([
    import('../mcp/tools-of-document.ts'),
    import('../mcp/api-caller.ts'),
    import('../mcp/mcp-stdio.ts'),
  ]);
  serveAtStdio({
    info: document.info,
    tools: toolsOf(document),
    isAllowed: ({ listing }) => usable?.has(listing.name) ?? true,
    callApi: apiCaller({ baseUrl, headers: { authorization: `Bearer ${key}` } }),
  });
}

async function fetchDocument(baseUrl: string): Promise<ApiDocument> {
  // OpenAPI 3.1 does not know the method QUERY.
  const text = expectSuccess(await send(`${baseUrl}/openapi-3.2.json`, {}));
  try {
    return JSON.parse(text) as ApiDocument;
  } catch {
    throw new UserError(
      `${baseUrl}/openapi-3.2.json is no JSON. Is this the address of the service?`,
    );
  }
}

/**
 * The names of the tools that the key may use, by the service's own MCP server. Undefined where it has none: then all
 * are listed, and the service refuses what the key may not do. Throws UserError where it refuses the key.
 */
async function usableTools(baseUrl: string, key: string): Promise<Set<string> | undefined> {
  const response = await send(baseUrl.replace(/\/v1$/, '/mcp'), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  if (response.status === 404) return undefined;
  const { result } = JSON.parse(expectSuccess(response)) as {
    result: { tools: readonly { name: string }[] };
  };
  return new Set(result.tools.map(({ name }) => name));
}
