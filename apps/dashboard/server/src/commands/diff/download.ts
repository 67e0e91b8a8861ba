import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { formatBytes } from '@petstore/service/text.ts';
import { UserError } from '@petstore/service/user-error.ts';

/** How long a server may be silent, in milliseconds. */
const SILENCE_MS = 60_000;

/** A site may lead to its own domain, and from HTTP to HTTPS. */
const MAX_REDIRECTS = 5;

/**
 * The bytes at an address, `mostBytes` at most; undefined where there is nothing (404, 410). Rejects with UserError.
 */
export async function download(
  address: string,
  mostBytes: number,
  redirectsLeft = MAX_REDIRECTS,
): Promise<Uint8Array | undefined> {
  const response = await get(address);
  const { statusCode: status = 0, headers } = response;
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined;
  if (isRedirect && redirectsLeft > 0) {
    response.destroy();
    const next = new URL(headers.location ?? '', address);
    if (!/^https?:$/.test(next.protocol)) throw new UserError(`${address} redirects to ${next}.`);
    return download(next.href, mostBytes, redirectsLeft - 1);
  }
  if (status !== 200) {
    response.destroy();
    if (status === 404 || status === 410) return undefined;
    throw new UserError(`${address} responded with ${status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostBytes)
        throw new UserError(
          `${address} has more than the ${formatBytes(mostBytes)} that are read at most.`,
        );
    }
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(address, error);
  }
  return Buffer.concat(chunks);
}

function get(address: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = address.startsWith('https:') ? requestHttps : requestHttp;
  const sent = request(address, { lookup: withLocalhost, timeout: SILENCE_MS }, resolve);
  sent.on('timeout', () =>
    sent.destroy(new Error(`nothing came for ${SILENCE_MS / 1_000} seconds`)),
  );
  sent.on('error', (error) => reject(unreadable(address, error)));
  sent.end();
  return promise;
}

/** Names below `localhost` are this machine (RFC 6761, section 6.3), which not every system's resolver knows. */
const withLocalhost: LookupFunction = (host, options, callback) =>
  lookup(/\.localhost\.?$/i.test(host) ? 'localhost' : host, options, callback);

function unreadable(address: string, error: unknown): UserError {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UserError(`${address} cannot be read (${code ?? message}). Check the address.`);
}
