import { PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import type { Redirect } from '../../deploys/redirects.ts';
import { MCP_PATH, type McpEndpoint } from '../mcp/mcp-endpoint.ts';
import type { OwnHosts } from '../own-hosts/own-host.ts';
import type { RequestsOfReaders } from '../readers/count-requests.ts';
import type { ReaderEndpoints } from '../readers/readers-endpoint.ts';
import type { RequestProxy } from '../request-proxy/request-proxy.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { RequestCounts } from '../sites/request-counts.ts';
import { type MaybePromise, PrunedError, type SiteCache } from '../sites/site-cache.ts';
import type { FoundResource, SiteFiles } from '../sites/site-files.ts';
import { addressAt, type HostRedirect, movedTo, type Site } from '../sites/site-source.ts';
import { type Located, locate, retiredRedirect } from '../versions/locate.ts';
import {
  type EdgeRequest,
  NO_SITE,
  type RequestTarget,
  readRequestTarget,
} from './edge-request.ts';
import { fileResponse } from './file-response.ts';
import { type EdgeResponse, textResponse } from './response.ts';
import { isWellKnown, type WellKnown } from './well-known.ts';

const ALLOW = ['Allow', 'GET, HEAD, OPTIONS'];

/**
 * Responds with the files of the host's site. Returns the response at once where the cache has all that it
 * needs; otherwise a promise, which rejects when the store is unavailable.
 */
export function responder(
  cache: SiteCache,
  files: SiteFiles,
  wellKnown: WellKnown,
  mcp: McpEndpoint,
  /** undefined: the operator allows none. */
  proxy: RequestProxy | undefined,
  counts: RequestCounts,
  readers: RequestsOfReaders,
  /** What its pages tell, by path. */
  told: ReaderEndpoints,
  ownHosts: OwnHosts = new Map(),
) {
  type Endpoint = (
    request: EdgeRequest,
    site: Site,
  ) => MaybePromise<EdgeResponse | undefined> | undefined;

  /** What a site has besides files, by path. One that returns undefined has nothing there. */
  const endpoints = new Map<string, Endpoint>([
    [
      MCP_PATH,
      (request, site) =>
        mcp({
          ...{ request, site, always: secureHeaders(request, site) },
          redirect: redirectOf(request, site),
        }),
    ],
    [
      PROXY_PATH,
      (request, site) =>
        proxy?.({
          ...{ request, site, always: secureHeaders(request, site) },
          isRedirected: redirectOf(request, site) !== undefined,
        }),
    ],
    ...[...told].map(([path, answer]): [string, Endpoint] => [
      path,
      (request, site) =>
        answer({
          ...{ request, site, always: secureHeaders(request, site) },
          isRedirected: redirectOf(request, site) !== undefined,
        }),
    ]),
  ]);

  const respondFrom = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site | undefined,
  ): MaybePromise<EdgeResponse> => {
    if (!site || site.isEmpty) return textResponse(404, NO_SITE);
    counts.count(site);
    if (!site.versions || site.only) return respondAt(request, target, site, target.path);
    const located = locate(site, site.versions, target);
    return 'site' in located
      ? respondAt(request, target, located.site, located.path)
      : respondElsewhere(request, target, site, located);
  };

  /** `path`: that of the site, which may be one version of the host's. */
  const respondAt = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site,
    path: string,
  ): MaybePromise<EdgeResponse> => {
    const answer = endpoints.get(path)?.(request, site);
    if (!(answer instanceof Promise)) return answer ?? respondWithFile(request, target, site, path);
    return answer.then((response) => response ?? respondWithFile(request, target, site, path));
  };

  /** Redirects what leads to another version of a site. */
  const respondElsewhere = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site,
    located: Exclude<Located, { readonly site: Site }>,
  ): MaybePromise<EdgeResponse> => {
    const always = secureHeaders(request, site);
    const refusal = methodResponse(request.method, always);
    if (refusal) return refusal;
    const redirect = redirectOf(request, site);
    if (redirect) return redirectResponse(redirect, target, always, target.query);
    const respond = ({ status, to }: Redirect) =>
      textResponse(status, undefined, [...always, 'Location', withQuery(to, target.query)]);
    if ('elsewhere' in located)
      return redirectResponse(located.elsewhere, located, always, target.query);
    if ('redirect' in located) return respond(located.redirect);
    const manifest = cache.manifest(site.artifactHash);
    return manifest instanceof Promise
      ? manifest.then((read) => respond(retiredRedirect(site, read, located.retired)))
      : respond(retiredRedirect(site, manifest, located.retired));
  };

  const respondWithFile = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site,
    path: string,
  ): MaybePromise<EdgeResponse> => {
    const always = secureHeaders(request, site);
    // Before any redirect: a site takes no forms, so no form is sent on, least of all without TLS.
    const methodRefusal = methodResponse(request.method, always);
    if (methodRefusal) return methodRefusal;
    const redirect = redirectOf(request, site);
    if (redirect) return redirectResponse(redirect, target, always, target.query);

    const respond = (found: FoundResource): MaybePromise<EdgeResponse> => {
      readers.respond(request, target, site, found);
      switch (found.kind) {
        case 'file':
          return fileResponse(request, found.file, cache);
        case 'text':
          return textResponse(200, found.text, always);
        case 'redirect':
          return textResponse(found.status, undefined, [
            ...always,
            ...['Location', withQuery(found.to, target.query)],
          ]);
        case 'notFound':
          return textResponse(404, undefined, always);
      }
    };
    const found = files.find(target.host, site, path, request.headers.accept);
    return found instanceof Promise ? found.then(respond) : respond(found);
  };

  const respondTo = (request: EdgeRequest, target: RequestTarget): MaybePromise<EdgeResponse> => {
    const site = cache.findSite(target.host);
    return site instanceof Promise
      ? site.then((found) => respondFrom(request, target, found))
      : respondFrom(request, target, site);
  };

  return (request: EdgeRequest): MaybePromise<EdgeResponse> => {
    const { authority, serverName } = request;
    // RFC 9112, section 3.2. Without it, HTTP/1.0 has no way to say which site it wants.
    if (authority === undefined) {
      return textResponse(400, 'A request must have exactly one Host header.');
    }
    const target = readRequestTarget(request.target, authority);
    if ('status' in target) {
      const isMisdirected = target.status === 404 && serverName !== undefined;
      return isMisdirected ? textResponse(421) : textResponse(target.status, target.text);
    }
    // RFC 9110, section 7.4: the certificate was for one host, so the connection serves no other.
    if (serverName !== undefined && target.host !== serverName) return textResponse(421);
    if (isWellKnown(target.path)) return wellKnown(request, target);
    // Over TLS its own server has the connection.
    const own = serverName === undefined ? ownHosts.get(target.host) : undefined;
    if (own) return own.plain(request, target);
    const response = respondTo(request, target);
    if (!(response instanceof Promise)) return response;
    return response.catch((error) => {
      if (!(error instanceof PrunedError)) throw error;
      // The site was replaced and its old content pruned; the invalidation has not arrived yet.
      cache.evict(target.host);
      return respondTo(request, target);
    });
  };
}

export type Respond = ReturnType<typeof responder>;

/** Where a request is redirected before anything is looked up; undefined where this host serves it. */
export function redirectOf(
  { serverName }: Pick<EdgeRequest, 'serverName'>,
  { redirect, secureOrigin }: Site,
): HostRedirect | undefined {
  if (redirect || serverName !== undefined || secureOrigin === undefined) return redirect;
  return movedTo(secureOrigin);
}

/** RFC 6797, section 7.2: never without TLS. */
function secureHeaders({ serverName }: EdgeRequest, { hsts }: Site): Headers {
  return serverName !== undefined && hsts ? ['Strict-Transport-Security', hsts] : [];
}

/** An address with a request's query: behind its own, and in front of its fragment. */
function withQuery(address: string, query: string): string {
  if (query.length < 2) return address;
  const at = address.indexOf('#');
  const place = at < 0 ? address : address.slice(0, at);
  const joined = place.includes('?') ? `${place}&${query.slice(1)}` : place + query;
  return at < 0 ? joined : joined + address.slice(at);
}

function redirectResponse(
  redirect: HostRedirect,
  { rawPath }: Pick<RequestTarget, 'rawPath'>,
  always: Headers,
  query: string,
): EdgeResponse {
  const to = addressAt(redirect, rawPath) + query;
  return textResponse(redirect.status, undefined, [...always, 'Location', to]);
}

/** The response to every method but GET and HEAD; undefined for those two. */
function methodResponse(method: string, always: Headers): EdgeResponse | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method === 'OPTIONS') return { status: 204, headers: [...always, ...ALLOW], content: '' };
  return textResponse(405, undefined, [...always, ...ALLOW]);
}
