import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpServerOptions, mcpServer } from './mcp-server.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Serves a client at standard input and output, until the input ends. */
export function serveAtStdio(options: McpServerOptions): void {
  serveStdio(() => mcpServer(options), {
    transport: new StdioTransport(process.stdin, process.stdout),
    maxSubscriptions: 0,
    // Standard output is for messages alone.
    onerror: ({ message }) => process.stderr.write(`petstore: ${message}\n`),
  });
}
