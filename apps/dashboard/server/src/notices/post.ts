import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { request as httpRequest } from '@petstore/http/node-http.ts';
import { bareHost } from './receiver-address.ts';

/** What is read of an answer's body, in bytes, before the connection is closed. Nobody looks at it. */
const MAX_ANSWER_BYTES = 65_536;

const MAX_ANSWER_HEADER_BYTES = 16_384;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Sends JSON to a URL on a connection of its own, to one of `addresses` alone, and reads the answer to its
 * end or its bound. Follows no redirect. Rejects with the connection's error, or when the signal comes
 * before the answer's status.
 */
export async function post(
  url: URL,
  { body, headers }: { body: string; headers: Readonly<Record<string, string>> },
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Answer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
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
      'user-agent': 'dashboard-webhooks',
      ...headers,
    },
    agent: false,
    lookup: pinned(addresses),
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    signal,
  });
  // What breaks after the answer's status is of no interest; before it, the one below hears of it, too.
  request.on('error', () => {});
  request.end(bytes);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await drop(request, response);
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
}

/** A look-up that knows one answer. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all || !first) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** Reads a body until its end, its bound, or the signal that ends the request: its status counts anyway. */
async function drop(request: ClientRequest, response: IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The receiver broke off, or took too long for what nobody reads.
  } finally {
    request.destroy();
  }
}
