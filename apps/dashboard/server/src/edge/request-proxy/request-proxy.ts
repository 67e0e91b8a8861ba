import { BlockList } from 'node:net';
import { Readable } from 'node:stream';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { AddressError, reachableAddresses } from '@petstore/http/reachable-addresses.ts';
import { ADDRESSES_PATH, FRAMES_TYPE } from '@petstore/site/request/proxy-format.ts';
import { canonicalHost } from '../host.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import { isOfOwnPage } from '../http/own-page.ts';
import { type EdgeResponse, textResponse } from '../http/response.ts';
import { contentSource } from '../sites/content-source.ts';
import type { Headers } from '../sites/file-headers.ts';
import { fileAt } from '../sites/manifest-paths.ts';
import type { MaybePromise, SiteCache } from '../sites/site-cache.ts';
import type { Site } from '../sites/site-source.ts';
import { DEFAULT_BOUNDS, type ProxyBounds } from './bounds.ts';
import { Deadlines } from './deadlines.ts';
import { findDeclared } from './declared-addresses.ts';
import { followRedirects } from './follow-redirects.ts';
import { VIA } from './header-fields.ts';
import { ProxyError } from './proxy-error.ts';
import { type OutgoingRequest, readRequest } from './read-request.ts';
import { requestSlots } from './request-slots.ts';
import { responseFrames } from './response-frames.ts';
import { sendUpstream } from './send-upstream.ts';

export interface ProxyOptions {
  /** Recursive name servers, as `ip:port`; none: the system's. */
  readonly dnsServers: readonly string[];
  /** Private networks that may be called besides the internet: addresses and blocks. */
  readonly networks: readonly string[];
  /** Where they differ from the defaults. */
  readonly bounds?: Partial<ProxyBounds>;
}

interface ProxyRequest {
  readonly request: EdgeRequest;
  readonly site: Site;
  /** Headers of every response. */
  readonly always: Headers;
  /** Another host is the site's own, or this one is asked without TLS. */
  readonly isRedirected: boolean;
}

const ALLOW = ['Allow', 'GET, HEAD, POST, OPTIONS'];

/**
 * Passes requests of a site's own pages on to the servers that its document declares: for APIs that allow pages of no
 * other origin to ask (CORS). GET tells whether the site has a proxy. Returns undefined where it has none: then the
 * request is one for a file. Nothing of what passes is stored or logged.
 */
export function requestProxy(cache: SiteCache, options: ProxyOptions) {
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const takeSlot = requestSlots(bounds);
  const isOfNetworks = networkCheck(options.networks);

  /** Sends one request to where the document says, and never to a site of this edge or a private address. */
  const sendChecked = async (
    request: OutgoingRequest,
    addresses: readonly string[],
    signal: AbortSignal,
  ) => {
    const { url } = request;
    const declared = findDeclared(url, addresses);
    if (!declared)
      throw new ProxyError(
        'not_declared',
        `The document declares no server at ${url.origin}${url.pathname}.`,
      );
    const host = canonicalHost(url.hostname);
    if (host && (await cache.findSite(host)))
      throw new ProxyError('loop_detected', `${host} is a site of this very server.`);
    // What a reader may choose is no way into a network.
    const isAllowed = (address: string) =>
      isPublicAddress(address) || (!declared.isWildcard && isOfNetworks(address));
    const { dnsServers } = options;
    const found = await reachableAddresses(url.hostname, { dnsServers, isAllowed }, signal).catch(
      (error) => {
        if (signal.aborted) throw signal.reason;
        throw error instanceof AddressError ? new ProxyError('no_address', error.message) : error;
      },
    );
    return sendUpstream(request, found, bounds.responseHeadBytes, signal);
  };

  /** The response to a request that has a slot. `leave` is called when all of it is over. */
  const pass = async (
    { request, site, always }: ProxyRequest,
    bytes: number,
    leave: () => void,
  ): Promise<EdgeResponse> => {
    const deadlines = new Deadlines();
    const { signal } = deadlines;
    request.onClose(() => {
      deadlines.end(new ProxyError('client_left', 'The client has left.'));
      leave();
    });
    deadlines.start(bounds.wholeMs, 'The response was cut off: it did not end');
    const arrival = deadlines.start(bounds.arrivalMs, 'The request did not arrive here');
    const outgoing = readRequest(await untilAborted(readBody(request, bytes), signal), bounds);
    clearTimeout(arrival);
    const head = deadlines.start(bounds.headMs, `${outgoing.url.origin} did not answer`);
    const addresses = await declaredAddresses(site);
    const final = await followRedirects(outgoing, (one) => sendChecked(one, addresses, signal));
    clearTimeout(head);
    const silence = deadlines.start(
      bounds.idleMs,
      'The response was cut off: no more of it arrived',
    );
    const frames = responseFrames(final, {
      ...{ method: outgoing.method, maxBytes: bounds.responseBytes, signal },
      onPiece: () => silence.refresh(),
    });
    return {
      status: 200,
      headers: [
        ...['Content-Type', FRAMES_TYPE],
        ...['X-Content-Type-Options', 'nosniff'],
        ...['Cache-Control', 'no-store'],
        // It is never shown as a page.
        ...['Content-Security-Policy', "default-src 'none'; sandbox"],
        ...always,
      ],
      content: '',
      body: Readable.from(frames, { objectMode: false }),
    };
  };

  const declaredAddresses = async (site: Site): Promise<string[]> => {
    const entry = fileAt(await cache.manifest(site.artifactHash), ADDRESSES_PATH);
    if (!entry)
      throw new ProxyError(
        'not_declared',
        'This site was deployed by a version without a request proxy. Deploy it again.',
      );
    const content = await cache.content(contentSource(entry));
    return JSON.parse(content.toString());
  };

  const answerPost = async (asked: ProxyRequest): Promise<EdgeResponse> => {
    const { request, site, always } = asked;
    let leave = () => {};
    try {
      checkSender(request);
      const bytes = announcedBytes(request, bounds.headBytes + bounds.bodyBytes);
      leave = takeSlot({ projectId: site.projectId, client: request.client() }, bytes);
      return await pass(asked, bytes, leave);
    } catch (error) {
      leave();
      if (error instanceof ProxyError) return error.response(always);
      throw error;
    }
  };

  return (asked: ProxyRequest): MaybePromise<EdgeResponse> | undefined => {
    const { request, site, always, isRedirected } = asked;
    if (!site.requestProxy || isRedirected) return undefined;
    switch (request.method) {
      case 'POST':
        return answerPost(asked);
      case 'GET':
      case 'HEAD':
        return { status: 204, headers: ['Cache-Control', 'no-store', ...always], content: '' };
      case 'OPTIONS':
        // Without a word of CORS: no other page may send what the proxy takes.
        return { status: 204, headers: [...always, ...ALLOW], content: '' };
      default:
        return textResponse(405, undefined, [...always, ...ALLOW]);
    }
  };
}

export type RequestProxy = ReturnType<typeof requestProxy>;

/** The check of whether an address is of one of these networks. */
function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}

/** Throws ProxyError for all but a script of this very host, and for what the proxy itself sent. */
function checkSender(request: EdgeRequest): void {
  const { headers } = request;
  if (!isOfOwnPage(request))
    throw new ProxyError('forbidden', 'Only pages of this site may ask its proxy.');
  if (headers['content-type'] !== FRAMES_TYPE)
    throw new ProxyError('unsupported_media_type', `The body must be of the type ${FRAMES_TYPE}.`);
  if (headers.via?.includes(VIA))
    throw new ProxyError('loop_detected', 'The proxy does not send requests to itself.');
}

/**
 * How long the body is that comes, which is known before it is held. Throws ProxyError where it is not said, or too
 * long.
 */
function announcedBytes({ headers }: EdgeRequest, most: number): number {
  const text = headers['content-length'];
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw new ProxyError('length_required', 'The request must have a Content-Length header.');
  const bytes = Number(text);
  if (bytes > most)
    throw new ProxyError('payload_too_large', `A request has at most ${most} bytes.`);
  return bytes;
}

async function readBody({ readBody: read }: EdgeRequest, bytes: number): Promise<Buffer> {
  const body = await read(bytes);
  if (!body) throw new ProxyError('invalid_request', 'The request did not arrive whole.');
  return body;
}

/** The result of some work; rejects with the signal's reason where that comes first. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
