import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import {
  ADDRESSES_PATH,
  FRAMES_TYPE,
  type Frame,
  framePrefix,
  frameValue,
  type HeaderPair,
  PROXY_PATH,
  type ProxiedEnd,
  type ProxiedHead,
  type ProxiedRequest,
  type ProxyProblem,
  readFrame,
} from '@petstore/site/request/proxy-format.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import type { ProxyOptions } from '../../../server/src/edge/request-proxy/request-proxy.ts';
import type { Site } from '../../../server/src/edge/sites/site-source.ts';
import { startTestEdge } from './edge.ts';
import { MemorySource, SITE } from './memory-source.ts';

/** Where the servers of these tests are, which the operator allows. Not 127.0.0.1, which is another one's. */
export const INSIDE = '127.0.0.2';

/** The operator's setting that allows them. */
export const ALLOWED: ProxyOptions = { dnsServers: ['127.0.0.1:9'], networks: [INSIDE] };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** An API that tells what it was asked; `answer` answers, by default with 200 and `{}`. */
export async function startApi(
  t: TestContext,
  answer: RequestListener = (_request, response) => response.end('{}'),
  host = INSIDE,
) {
  const seen: Seen[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers, rawHeaders } = incoming;
    seen.push({ method, url, headers, rawHeaders, body: await buffer(incoming) });
    answer(incoming, response);
  });
  server.listen(0, host);
  await once(server, 'listening');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port, seen };
}

/** Puts a site online whose document declares these addresses. */
export function deployApi(
  source: MemorySource,
  addresses: readonly string[],
  { host = 'a.test', ...site }: Partial<Site> & { host?: string } = {},
): void {
  const file = { type: 'application/json', text: JSON.stringify(addresses) };
  source.deploy(host, { ...SITE, [ADDRESSES_PATH]: file }, { requestProxy: true, ...site });
}

/** An edge that allows the proxy, with a site at `a.test` whose document declares these addresses. */
export async function startProxy(
  t: TestContext,
  addresses: readonly string[],
  options: Partial<ProxyOptions> = {},
) {
  const source = new MemorySource();
  deployApi(source, addresses);
  const edge = await startTestEdge(t, { source, requestProxy: { ...ALLOWED, ...options } });
  return { ...edge, send: (asked: Asked, from?: From) => sendThrough(edge.port, asked, from) };
}

/** What is asked of the API. */
export interface Asked {
  readonly url: string;
  readonly method?: string;
  readonly headers?: readonly HeaderPair[];
  readonly body?: Uint8Array | string;
}

/** What is said to the edge, and from where. */
export interface From {
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly localAddress?: string;
  readonly content?: Buffer;
}

/** What came back: of the API, or the proxy's own refusal. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly problem?: ProxyProblem;
  readonly head?: ProxiedHead;
  readonly body: Buffer;
  /** How the API's response ended; undefined where the connection broke off. */
  readonly end?: ProxiedEnd;
}

/** What the panel sends to the proxy. */
export function framesOf({ url, method = 'GET', headers = [], body = '' }: Asked): Buffer {
  const head = Buffer.from(JSON.stringify({ method, url, headers } satisfies ProxiedRequest));
  const bytes = Buffer.from(body as string);
  const content = bytes.length > 0 ? [framePrefix('data', bytes.length), bytes] : [];
  return Buffer.concat([framePrefix('head', head.length), head, ...content]);
}

export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'content-type': FRAMES_TYPE };

/** Begins a request to the proxy, on a connection of its own. */
export function beginThrough(port: number, asked: Asked, from: From = {}) {
  const { host = 'a.test', headers = OWN_PAGE, localAddress = '127.0.0.1' } = from;
  const content = from.content ?? framesOf(asked);
  const sent = request({
    ...{ host: '127.0.0.1', port, path: PROXY_PATH, method: 'POST', agent: false, localAddress },
    headers: { host, 'content-length': content.length, ...headers },
  });
  sent.on('error', () => {});
  sent.end(content);
  return sent;
}

export async function sendThrough(port: number, asked: Asked, from?: From): Promise<Answer> {
  const [response] = (await once(beginThrough(port, asked, from), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  await response.forEach((chunk: Buffer) => void chunks.push(chunk)).catch(() => {});
  return readAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks));
}

export function readAnswer(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  if (headers['content-type'] === 'application/json')
    return { status, headers, problem: JSON.parse(bytes.toString()), body: Buffer.alloc(0) };
  if (headers['content-type'] !== FRAMES_TYPE) return { status, headers, body: bytes };
  const frames = [...readFrames(bytes)];
  const [head, ...rest] = frames;
  assert.equal(head?.kind, 'head');
  const end = rest.at(-1);
  const data = rest.filter(({ kind }) => kind === 'data');
  return {
    ...{ status, headers, head: frameValue(head) as ProxiedHead },
    body: Buffer.concat(data.map((frame) => frame.bytes)),
    ...(end?.kind === 'end' && { end: frameValue(end) as ProxiedEnd }),
  };
}

function* readFrames(bytes: Buffer): Generator<Frame> {
  let rest = new Uint8Array(bytes);
  for (let frame = readFrame(rest); frame; frame = readFrame(rest)) {
    yield frame;
    rest = rest.subarray(frame.size);
  }
}
