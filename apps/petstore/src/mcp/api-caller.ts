import { once } from 'node:events';
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ApiRequest } from './api-request.ts';
import type { ApiResponse } from './call-result.ts';

/** How long the API may take for a response, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** The most of a response that is read, in bytes. */
const MAX_RESPONSE_BYTES = 4_000_000;

/** No response, or none that is whole. The message is for whoever called the tool. */
export class NoResponseError extends Error {}

/** Sends a request of the API. Rejects with NoResponseError. */
export type CallApi = (request: ApiRequest, signal: AbortSignal) => Promise<ApiResponse>;

interface CallerOptions {
  /** Address of the API, ending in `/v1`. */
  readonly baseUrl: string;
  /** Of every request; the key is in them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the connections come from; undefined for new ones to the address. */
  readonly agent?: Agent;
}

/** Calls an API at an address. The target goes out as it is: nothing in it is normalized. */
export function apiCaller({ baseUrl, headers: always, agent }: CallerOptions): CallApi {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  // A URL has IPv6 addresses in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return async ({ method, target, headers, body }, signal) => {
    const end = new AbortController();
    const leave = () => end.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end.abort();
    }, TIMEOUT_MS);
    signal.addEventListener('abort', leave, { once: true });
    try {
      const sent = send({
        ...{ host, port, path: pathname + target, method, agent },
        headers: {
          ...always,
          ...headers,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        signal: end.signal,
      });
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await bodyOf(response),
      };
    } catch (error) {
      if (error instanceof NoResponseError) throw error;
      throw new NoResponseError(
        isLate
          ? `No response within ${TIMEOUT_MS / 1_000} seconds. Whether a change was made is not known: look before you repeat it.`
          : noResponse(error as NodeJS.ErrnoException, baseUrl),
      );
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  };
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) {
      throw new NoResponseError(
        `The response has more than ${MAX_RESPONSE_BYTES} bytes. Ask for less, such as with a smaller limit.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function noResponse({ code, message }: NodeJS.ErrnoException, baseUrl: string): string {
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return `No service responds at ${baseUrl} (${code}).`;
  }
  return `The connection ended before the whole response came (${code ?? message}). Whether a change was made is not known: look before you repeat it.`;
}
