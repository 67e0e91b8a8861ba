import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { request as httpRequest } from '@petstore/http/node-http.ts';
import {
  AddressError,
  bareHost,
  pinnedLookup,
  reachableAddresses,
} from '@petstore/http/reachable-addresses.ts';
import { formatBytes } from '@petstore/service/text.ts';
import { ProviderError } from './provider-error.ts';

/** The most that a provider's response may have: tokens with very many groups are some 500 kB. */
const MAX_RESPONSE_BYTES = 1_000_000;

const MAX_RESPONSE_HEADER_BYTES = 16_384;

/** For all of a request, from the look-up of the name to the end of the response. */
const TIMEOUT_MS = 10_000;

interface ProviderRequest {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type ProviderFetch = (url: string, request?: ProviderRequest) => Promise<Response>;

/**
 * How a provider is asked. The operator named the issuer's origin, so it may be anywhere. Other places are named by the
 * provider's documents alone: they must be in the internet, and as safe as the issuer. No redirect is followed. Rejects
 * with ProviderError.
 */
export function providerFetch(
  issuer: string,
  { dnsServers, timeoutMs = TIMEOUT_MS }: { dnsServers: readonly string[]; timeoutMs?: number },
): ProviderFetch {
  const own = new URL(issuer);
  return async (text, request = {}) => {
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== own.protocol)
      throw new ProviderError(`The provider names ${url.origin}, which is not an https address.`);
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      const lookup =
        url.origin === own.origin
          ? undefined
          : pinnedLookup(
              await reachableAddresses(
                url.hostname,
                { dnsServers, isAllowed: isPublicAddress },
                signal,
              ),
            );
      return await send(url, request, { lookup, signal });
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      throw new ProviderError(
        signal.aborted
          ? `${url.host} did not respond within ${timeoutMs / 1_000} seconds.`
          : `${url.host} could not be asked: ${connectionFailure(error)}`,
        { cause: error },
      );
    }
  };
}

async function send(
  url: URL,
  { method = 'GET', headers, body }: ProviderRequest,
  { lookup, signal }: { lookup: ReturnType<typeof pinnedLookup> | undefined; signal: AbortSignal },
): Promise<Response> {
  const bytes = body === undefined || body === null ? undefined : Buffer.from(`${body}`);
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    method,
    protocol: url.protocol,
    hostname: bareHost(url.hostname),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      ...Object.fromEntries(new Headers(headers).entries()),
      ...(bytes && { 'content-length': bytes.length }),
    },
    agent: false,
    ...(lookup && { lookup }),
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    signal,
  });
  // An error before the status rejects `once`, one after it the loop over the body.
  request.on('error', () => {});
  request.end(bytes);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  try {
    return responseOf(url, response, await readBody(url, response));
  } finally {
    request.destroy();
  }
}

async function readBody(url: URL, response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new ProviderError(
        `${url.host} answered with more than ${formatBytes(MAX_RESPONSE_BYTES)}.`,
      );
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function responseOf(
  url: URL,
  { statusCode = 0, headers }: IncomingMessage,
  body: Buffer<ArrayBuffer>,
) {
  if (statusCode >= 300 && statusCode < 400)
    throw new ProviderError(
      `${url.host} answered with a redirect (${statusCode}), which is not followed. Set the issuer to the address that the provider itself uses.`,
    );
  if (statusCode < 200 || statusCode > 599)
    throw new ProviderError(`${url.host} answered with the status ${statusCode}.`);
  const known = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) known.set(name, `${value}`);
  const hasNoBody = statusCode === 204 || statusCode === 205;
  return new Response(hasNoBody ? null : body, { status: statusCode, headers: known });
}

/** Why there was no response. The codes are those of Node and of OpenSSL. */
function connectionFailure(error: unknown): string {
  if (error instanceof AddressError) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'nothing listens there.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name could not be looked up.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return `its certificate is not trusted (${message}). NODE_EXTRA_CA_CERTS names a file with further roots.`;
  return `the connection failed (${code || message}).`;
}
