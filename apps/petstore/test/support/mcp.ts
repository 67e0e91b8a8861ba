import assert from 'node:assert/strict';

export interface RpcResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text: string }[];
  readonly tools?: readonly ListedTool[];
  readonly [name: string]: unknown;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Record<string, { readonly type?: string }>;
    readonly required?: readonly string[];
  };
  readonly annotations: Record<string, boolean>;
}

export interface RpcResponse {
  readonly id: unknown;
  readonly result?: RpcResult;
  readonly error?: { readonly code: number; readonly message: string };
}

export const REVISION = '2026-07-28';

/** What every message of this revision says about its client. */
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A message of the revision 2026-07-28. `args`: of a tool, as JSON text, so that numbers have all their digits. */
export function messageText(id: number, method: string, name?: string, args = '{}'): string {
  const meta = JSON.stringify(META);
  const params = name === undefined ? '' : `"name":${JSON.stringify(name)},"arguments":${args},`;
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{${params}"_meta":${meta}}}`;
}

/** The headers that go with it. */
export function messageHeaders(method: string, name?: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  };
}

/** Posts a body to `/mcp`. */
export function postMcp(
  origin: string,
  key: string | undefined,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
  });
}

/** Sends a message over HTTP. */
export async function sendMcp(
  origin: string,
  key: string,
  method: string,
  {
    name,
    args,
    headers = {},
  }: { name?: string; args?: string; headers?: Record<string, string> } = {},
): Promise<RpcResponse> {
  const response = await postMcp(origin, key, messageText(1, method, name, args), {
    ...messageHeaders(method, name),
    ...headers,
  });
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  return (await response.json()) as RpcResponse;
}

/** The names of the tools that a key sees. */
export async function listedTools(origin: string, key: string): Promise<readonly ListedTool[]> {
  const { result } = await sendMcp(origin, key, 'tools/list');
  return result?.tools ?? [];
}

/** The outcome of a call: its texts, the first of which is the response's body. */
export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly notes: readonly string[];
}

export function outcomeOf({ result, error }: RpcResponse): Called {
  assert.ok(result?.content, JSON.stringify(error));
  const [text = '', ...notes] = result.content.map((block) => block.text);
  return { isError: result.isError === true, text, notes };
}

/** Calls a tool over HTTP; `args` as JSON text. */
export async function callTool(
  origin: string,
  key: string,
  name: string,
  args: string,
  headers: Record<string, string> = {},
): Promise<Called> {
  return outcomeOf(await sendMcp(origin, key, 'tools/call', { name, args, headers }));
}

export function statusOf({ text }: Called): unknown {
  return (JSON.parse(text) as { status?: unknown }).status;
}
