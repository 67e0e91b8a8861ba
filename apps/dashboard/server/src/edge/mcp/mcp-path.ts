/** Where a site has its MCP server. */
export const MCP_PATH = '/mcp';
