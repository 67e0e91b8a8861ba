import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { Agent as HttpAgent, request as httpRequest } from '@petstore/http/node-http.ts';
import { pinnedLookup } from '@petstore/http/reachable-addresses.ts';
import { type ContentCoding, DECODERS } from '../../content-decoders.ts';

/** How many requests are under way at once: what a person with two tabs asks for. */
export const CONNECTIONS = 2;

const TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 32_768;
/** Of one body, decoded: longer pages are read in part. */
const MAX_BODY_BYTES = 1_000_000;

/** What may be read in all, in bytes; it counts what is decoded. */
interface ByteBudget {
  left: number;
}

export interface LiveResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body, where it was asked for; empty otherwise. */
  readonly text: string;
  /** Over TLS alone. */
  readonly tls: LiveTls | undefined;
}

/** The certificate that a server showed. */
export interface LiveTls {
  readonly isTrusted: boolean;
  /** Why browsers do not trust it, by Node's code; null: they do. */
  readonly problem: string | null;
}

export interface LiveFetch {
  /**
   * Sends one GET, without cookies or credentials. Follows no redirect. Rejects where there is no response, and with the
   * reason of the signal. `wantsBody`: by its head, whether the body is read.
   */
  get(url: URL, wantsBody: (head: IncomingMessage) => boolean): Promise<LiveResponse>;
  close(): void;
}

interface Options {
  /** Where all connections go, whatever the name leads to by now. */
  readonly addresses: readonly LookupAddress[];
  readonly userAgent: string;
  readonly byteBudget: ByteBudget;
  readonly signal: AbortSignal;
}

/** Asks one site, at addresses that were looked up and checked before. */
export function openLiveFetch({ addresses, userAgent, byteBudget, signal }: Options): LiveFetch {
  const pool = { keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS };
  const agents = { 'http:': new HttpAgent(pool), 'https:': new HttpsAgent(pool) };
  const lookup = pinnedLookup(addresses);

  return {
    async get(url, wantsBody) {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const either = AbortSignal.any([signal, timeout]);
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        agent: agents[isSecure ? 'https:' : 'http:'],
        lookup,
        headers: {
          'user-agent': userAgent,
          accept: 'text/html,application/xhtml+xml,*/*;q=0.1',
          'accept-encoding': 'gzip, br',
        },
        // A site is often moved because its certificate has ended. Nothing secret is sent, and what comes is not trusted.
        ...(isSecure && { rejectUnauthorized: false }),
        maxHeaderSize: MAX_HEADER_BYTES,
        signal: either,
      });
      request.on('error', () => {});
      request.end();
      try {
        const [response] = (await once(request, 'response', { signal: either })) as [
          IncomingMessage,
        ];
        const tls = isSecure ? tlsOf(response.socket as TLSSocket) : undefined;
        const head = { status: response.statusCode ?? 0, headers: response.headers, tls };
        if (!wantsBody(response)) {
          // Closing it costs a connection; reading what is not wanted may cost more.
          response.destroy();
          return { ...head, text: '' };
        }
        return { ...head, text: await readText(response, url, byteBudget) };
      } catch (error) {
        request.destroy();
        signal.throwIfAborted();
        if (timeout.aborted)
          throw new Error(`did not answer within ${TIMEOUT_MS / 1_000} seconds`, { cause: error });
        throw error;
      }
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function tlsOf({ authorized, authorizationError }: TLSSocket): LiveTls {
  // Node's types have an Error; what is there is its code.
  return { isTrusted: authorized, problem: authorized ? null : String(authorizationError) };
}

/** The beginning of a body, undone of its coding. What is left of the connection is closed. */
async function readText(
  response: IncomingMessage,
  { pathname }: URL,
  byteBudget: ByteBudget,
): Promise<string> {
  const coding = codingOf(response, pathname);
  const body: Readable =
    coding === undefined ? response : pipeline(response, DECODERS[coding](), () => {});
  const most = Math.min(MAX_BODY_BYTES, byteBudget.left);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= most) break;
    }
  } finally {
    byteBudget.left -= bytes;
    if (!response.complete) response.destroy();
  }
  return Buffer.concat(pieces).subarray(0, most).toString();
}

/** The coding to undo; undefined: none. Throws where it is not known. */
function codingOf({ headers }: IncomingMessage, path: string): ContentCoding | undefined {
  const named = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  // A sitemap may be a compressed file.
  if (named === 'identity' || named === '') return path.endsWith('.xml.gz') ? 'gzip' : undefined;
  if (Object.hasOwn(DECODERS, named)) return named as ContentCoding;
  throw new Error(`answered in the coding ${named}, which is not known here`);
}
