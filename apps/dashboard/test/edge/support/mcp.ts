import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Site } from '../../../server/src/edge/sites/site-source.ts';
import type { BuiltArtifact } from '../../support/build-site.ts';
import type { MemorySource } from './memory-source.ts';

/** Puts a built site online at a host. `isTold`: the feed of changes has it. */
export function putOnline(
  source: MemorySource,
  host: string,
  { hash, manifest, blobs }: BuiltArtifact,
  site: Partial<Site> = {},
  isTold = true,
): void {
  source.manifests.set(hash, manifest);
  for (const [name, bytes] of blobs) source.blobs.set(name, bytes);
  const projectId = `project of ${host}`;
  source.sites.set(host, {
    ...{ projectId, artifactHash: hash, origin: `https://${host}` },
    ...{ isPreview: false, mcp: true, requestProxy: false, ...site },
  });
  if (isTold) source.change(projectId);
}

export interface RpcAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** Of a message in JSON. */
  readonly result?: RpcResult;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface RpcResult {
  readonly [name: string]: unknown;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
}

const REVISION = '2026-07-28';

/** What every message of this revision says about its client. */
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The headers and the body of a message. */
export function messageOf(method: string, params: Readonly<Record<string, unknown>> = {}) {
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  };
}

/** Posts a body to `/mcp`, on a connection of its own; `from` is the client's address. */
export async function post(
  port: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
  from = '127.0.0.1',
): Promise<RpcAnswer> {
  const sent = request({
    ...{ host: '127.0.0.1', port, localAddress: from, agent: false },
    ...{ path: '/mcp', method: 'POST' },
    headers: {
      ...{ host: 'a.test', 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', ...headers },
    },
  });
  // The edge may refuse the body while it is on its way.
  sent.on('error', () => {});
  sent.end(body);
  const [response] = await once(sent, 'response');
  return readAnswer(response.statusCode, response.headers, String(await buffer(response)));
}

export function readAnswer(status: number, headers: RpcAnswer['headers'], text: string): RpcAnswer {
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status, headers, text, ...(isJson && JSON.parse(text)) };
}

/** Sends a message of the revision 2026-07-28; `from` is the client's address. */
export function send(
  port: number,
  method: string,
  params?: Readonly<Record<string, unknown>>,
  headers: OutgoingHttpHeaders = {},
  from?: string,
): Promise<RpcAnswer> {
  const message = messageOf(method, params);
  return post(port, message.body, { ...message.headers, ...headers }, from);
}

/** Calls a tool; its texts. */
export async function call(port: number, name: string, args: object, host = 'a.test') {
  const { result } = await send(port, 'tools/call', { name, arguments: args }, { host });
  const texts = (result?.content ?? []).map(({ text }) => text);
  return { isError: result?.isError === true, text: texts[0] ?? '', texts, result };
}
