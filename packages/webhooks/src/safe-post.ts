import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Agent as HttpAgent, request as httpRequest } from '@petstore/http/node-http.ts';
import {
  AddressError,
  bareHost,
  type Network,
  pinnedLookup,
  reachableAddresses,
} from '@petstore/http/reachable-addresses.ts';
import { LRUCache } from 'lru-cache';

/**
 * Connections to receivers, for a program that sends them much. Which addresses a name has is asked once in half a
 * minute; each connection is made to one that was allowed.
 */
export class Connections {
  readonly #http: InstanceType<typeof HttpAgent>;
  readonly #https: HttpsAgent;
  readonly #addresses = new LRUCache<string, Promise<LookupAddress[]>>({
    max: MAX_NAMES,
    ttl: NAME_MS,
  });

  // Without a bound for a host: slow receivers would hold up others of the same host. Who sends bounds what is under way.
  constructor() {
    const options = { keepAlive: true, timeout: IDLE_MS };
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  agent(isSecure: boolean): InstanceType<typeof HttpAgent> {
    return isSecure ? this.#https : this.#http;
  }

  /** The addresses of a name, which `find` looks up. */
  addresses(hostname: string, find: () => Promise<LookupAddress[]>): Promise<LookupAddress[]> {
    const known = this.#addresses.get(hostname);
    if (known) return known;
    const found = find();
    this.#addresses.set(hostname, found);
    found.catch(() => this.#addresses.delete(hostname));
    return found;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** How long a name keeps its addresses, in milliseconds, and how many names. */
const NAME_MS = 30_000;
const MAX_NAMES = 1_000;

/** How long a connection may lie idle, in milliseconds: shorter than what receivers usually allow. */
const IDLE_MS = 4_000;

export interface PostOptions extends Network {
  /** For all of it, from the look-up of the name to the end of the response, in milliseconds. */
  readonly timeoutMs: number;
  /** The name of the program, for the receiver's log. */
  readonly userAgent: string;
  /** Roots in PEM, in place of the usual ones. */
  readonly ca?: readonly string[];
  /** Connections that are used again; without them each request has one of its own. */
  readonly connections?: Connections;
}

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the body. */
  readonly text: string;
}

/**
 * Sends JSON to a URL once, to an address that is allowed; the response, or why there was none, in a sentence. Rejects
 * when `stop` comes before it is known.
 */
export async function safePost(
  url: URL,
  { body, headers }: { body: string; headers: Readonly<Record<string, string>> },
  { timeoutMs, userAgent, ca, connections, ...network }: PostOptions,
  stop: AbortSignal,
): Promise<PostResponse | { readonly error: string; readonly timedOut?: boolean }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([stop, deadline]);
  try {
    const find = () => reachableAddresses(url.hostname, network, signal);
    const addresses = await (connections ? connections.addresses(url.hostname, find) : find());
    const message = { body, headers: { 'user-agent': userAgent, ...headers }, ca };
    return await post(url, message, { addresses, connections }, signal);
  } catch (error) {
    if (stop.aborted) throw error;
    if (!deadline.aborted) return { error: inWords(error) };
    const seconds = timeoutMs / 1_000;
    return { error: `The receiver did not respond within ${seconds} seconds.`, timedOut: true };
  }
}

/** Why there was no response. The codes are those of Node and of OpenSSL. */
function inWords(error: unknown): string {
  if (error instanceof AddressError || error instanceof InterimError) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return 'The connection was refused: nothing listens there.';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'The receiver closed the connection without a response.';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'The receiver cannot be reached.';
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `The headers of the receiver's response are larger than ${MAX_RESPONSE_HEADER_BYTES / 1_024} KiB.`;
  }
  if (code.startsWith('HPE_')) return "The receiver's response is not HTTP.";
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `The receiver's certificate is not trusted: ${message}.`;
  }
  if (/^(EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return 'The receiver does not speak TLS there.';
  return `The connection failed (${code || message}).`;
}

/** How much of a response's body is read, in bytes, before the connection is closed. */
const MAX_RESPONSE_BYTES = 65_536;

/** How much of it the outcome has, in bytes: enough for the message of an error. */
const MAX_SHOWN_BYTES = 1_024;

const MAX_RESPONSE_HEADER_BYTES = 16_384;

/** Interim responses (1xx) before the final one: Node passes over them, however many there are. */
const MAX_INTERIM_RESPONSES = 100;

/** The receiver sent more of them. */
class InterimError extends Error {
  constructor() {
    super(
      `The receiver sent more than ${MAX_INTERIM_RESPONSES} interim responses (1xx) before a final one.`,
    );
  }
}

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca: readonly string[] | undefined;
}

interface Way {
  readonly addresses: readonly LookupAddress[];
  readonly connections: Connections | undefined;
}

/**
 * Sends JSON to a URL, to one of `addresses` only, and reads the response to its end or its limit. Follows no redirect.
 * Rejects with the connection's error, or when the signal comes before the status. A connection that the receiver closed
 * just when it was used again is not an answer: then it is sent anew, on a new one.
 */
async function post(
  url: URL,
  { body, headers, ca }: Message,
  { addresses, connections }: Way,
  signal: AbortSignal,
): Promise<PostResponse> {
  const isSecure = url.protocol === 'https:';
  const send = isSecure ? httpsRequest : httpRequest;
  const bytes = Buffer.from(body);
  const request = send({
    method: 'POST',
    protocol: url.protocol,
    hostname: bareHost(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...headers,
    },
    agent: connections ? connections.agent(isSecure) : false,
    ...(ca && { ca: [...ca] }),
    lookup: pinnedLookup(addresses),
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    signal,
  });
  // An error before the status rejects `once` below; an error after it does not matter.
  request.on('error', () => {});
  request.end(bytes);
  let interim = 0;
  request.on('information', () => {
    if (++interim > MAX_INTERIM_RESPONSES) request.destroy(new InterimError());
  });
  let response: IncomingMessage;
  try {
    response = await responseTo(request);
  } catch (error) {
    const isOld = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (!isOld || signal.aborted) throw error;
    return post(url, { body, headers, ca }, { addresses, connections: undefined }, signal);
  }
  const text = await readBeginning(request, response, connections !== undefined);
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text };
}

/** The head of a response. That of one which changes to another protocol (101) has no body, and ends the connection. */
async function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  // Without a listener Node would destroy the request, and tell nobody.
  const upgraded = new Promise<IncomingMessage>((resolve) => {
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
  });
  const responded = once(request, 'response').then(([response]) => response as IncomingMessage);
  return Promise.race([responded, upgraded]);
}

/**
 * Reads a body until its end, its limit, or the signal, and returns its beginning as text: the outcome depends on the
 * status only. `keeps`: the connection stays open where the body has ended.
 */
async function readBeginning(
  request: ClientRequest,
  response: IncomingMessage,
  keeps: boolean,
): Promise<string> {
  const shown: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      if (bytes < MAX_SHOWN_BYTES) shown.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The connection broke, or the body took too long: what came is enough.
  } finally {
    if (!keeps || !response.complete) request.destroy();
  }
  const beginning = Buffer.concat(shown).subarray(0, MAX_SHOWN_BYTES);
  // A character that the limit cuts in two is left out. PostgreSQL stores no text with a NUL.
  return new TextDecoder().decode(beginning, { stream: true }).replaceAll('\0', '\u{fffd}');
}
