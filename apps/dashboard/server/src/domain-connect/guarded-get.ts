import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { request as httpRequest } from '@petstore/http/node-http.ts';
import {
  bareHost,
  type Network,
  pinnedLookup,
  reachableAddresses,
} from '@petstore/http/reachable-addresses.ts';

/** The largest response that is read, in bytes. Settings have some hundred, and a template some thousand. */
const MAX_BYTES = 65_536;

/**
 * Gets a text from an address that someone else wrote down: from hosts that are allowed alone, without following
 * redirects. undefined for any status but 2xx, for more than 64 KiB, or where there is no response. Never rejects.
 */
export async function guardedGet(
  url: string,
  network: Network,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { hostname, port, protocol, pathname, search } = new URL(url);
    const addresses = await reachableAddresses(hostname, network, signal);
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({
      ...{ protocol, port, hostname: bareHost(hostname), path: pathname + search, signal },
      headers: { accept: 'application/json', 'user-agent': 'petstore-dashboard/0.1' },
      agent: false,
      lookup: pinnedLookup(addresses),
    });
    // An error before the status rejects `once`; one after it ends the loop below.
    request.on('error', () => {});
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { statusCode = 0 } = response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_BYTES) break;
      chunks.push(chunk as Buffer);
    }
    request.destroy();
    const isGood = statusCode >= 200 && statusCode < 300 && bytes <= MAX_BYTES;
    return isGood ? Buffer.concat(chunks).toString() : undefined;
  } catch {
    return undefined;
  }
}
