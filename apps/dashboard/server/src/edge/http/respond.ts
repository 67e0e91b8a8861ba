import { PROXY_PATH } from '@petstore/site/request/proxy-format.ts';
import type { Redirect } from '../../deploys/redirects.ts';
import type { SiteGate } from '../access/gate.ts';
import { describedResource, localPath, PATHS } from '../access/paths.ts';
import { resourceMetadata } from '../access/resource-metadata.ts';
import type { SiteAccess } from '../access/site-access.ts';
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts';
import { MCP_PATH } from '../mcp/mcp-path.ts';
import type { OwnHosts } from '../own-hosts/own-host.ts';
import type { ReaderRequestCounter } from '../readers/reader-request-counter.ts';
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
  readers: ReaderRequestCounter,
  /** Endpoints to which pages send reader events, by path. */
  readerEndpoints: ReaderEndpoints,
  /** undefined: there are no private sites. */
  gate: SiteGate | undefined,
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
    ...[...readerEndpoints].map(([path, answer]): [string, Endpoint] => [
      path,
      (request, site) =>
        answer({
          ...{ request, site, always: secureHeaders(request, site) },
          isRedirected: redirectOf(request, site) !== undefined,
        }),
    ]),
    // Of a site that was private: the links that its owners signed then, and others', still lead to it.
    [
      PATHS.link,
      ({ target }, site) => {
        const to = localPath(new URLSearchParams(target.split('?')[1]).get('to'));
        return textResponse(303, undefined, ['Location', site.origin + to]);
      },
    ],
  ]);

  const respondFrom = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site | undefined,
  ): MaybePromise<EdgeResponse> => {
    if (!site) return textResponse(404, NO_SITE);
    if (site.access) return respondPrivately(request, target, site, site.access);
    return respondOpenly(request, target, site);
  };

  /** To a visitor who may read. */
  const respondOpenly = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site,
  ): MaybePromise<EdgeResponse> => {
    if (site.isEmpty) return textResponse(404, NO_SITE);
    counts.count(site);
    if (!site.versions || site.only) return respondAt(request, target, site, target.path);
    const located = locate(site, site.versions, target);
    return 'site' in located
      ? respondAt(request, target, located.site, located.path)
      : respondElsewhere(request, target, site, located);
  };

  /** Before the gate only redirects of the whole host apply, so that no password is sent in the clear. */
  const respondPrivately = (
    request: EdgeRequest,
    target: RequestTarget,
    site: Site,
    access: SiteAccess,
  ): MaybePromise<EdgeResponse> => {
    const always = secureHeaders(request, site);
    const redirect = site.isBelowWildcard ? toTls(request, site) : redirectOf(request, site);
    if (redirect)
      return (
        methodResponse(request.method, always) ??
        redirectResponse(redirect, target, always, target.query)
      );
    if (!gate) return textResponse(503);
    return gate({ request, target, site, access, always }, () =>
      respondOpenly(request, target, site),
    );
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

  /** A private site says how programs get in (RFC 9728). */
  const describeResource = async (
    request: EdgeRequest,
    target: RequestTarget,
  ): Promise<EdgeResponse> => {
    const site = await cache.findSite(target.host);
    return site?.access && !redirectOf(request, site)
      ? resourceMetadata(request, target.path, site.access)
      : wellKnown(request, target);
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
    const isDescribed = gate && describedResource(target.path) !== undefined;
    if (isDescribed) return describeResource(request, target);
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
  request: Pick<EdgeRequest, 'serverName'>,
  site: Site,
): HostRedirect | undefined {
  return site.redirect ?? toTls(request, site);
}

/** To the same host over TLS, where it has a certificate. */
function toTls(
  { serverName }: Pick<EdgeRequest, 'serverName'>,
  { secureOrigin }: Site,
): HostRedirect | undefined {
  if (serverName !== undefined || secureOrigin === undefined) return undefined;
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
