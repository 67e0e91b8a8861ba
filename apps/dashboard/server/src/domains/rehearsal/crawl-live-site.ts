import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { CONNECTIONS, type LiveFetch, type LiveResponse, type LiveTls } from './live-fetch.ts';
import { readHtml, readSitemap } from './read-html.ts';
import { ALL_DISALLOWED, MAX_ROBOTS_BYTES, NO_ROBOTS, type Robots, readRobots } from './robots.ts';

/** The crawler's product token (RFC 9309, section 2.2.1). */
export const PRODUCT = 'petstore-dashboard-rehearsal';

/** How much of a site is looked at. */
export interface CrawlBounds {
  readonly addresses: number;
  readonly ms: number;
  /** Decoded. */
  readonly bytes: number;
}

export const CRAWL_BOUNDS: CrawlBounds = { addresses: 500, ms: 60_000, bytes: 20_000_000 };

/** Further sitemaps that one names. */
const MAX_SITEMAPS = 10;
const MAX_REDIRECTS = 5;
const MAX_PATH = 1_000;

/** After so many failures in a row the site is left alone. */
const MAX_FAILURES = 5;

/** A page that readers have today. */
export interface LivePage {
  /** Percent-encoded, without a query. */
  readonly path: string;
  /** Empty where it has none. */
  readonly title: string;
  /** Where a redirect leads: a path of the same host, or a whole address; undefined: it is no redirect. */
  readonly redirectTo: string | undefined;
}

export interface LiveSite {
  /** `https://docs.example.com`: where the site was found. */
  readonly origin: string;
  /** Of the front page, after redirects on the same host. */
  readonly front: { readonly status: number; readonly headers: IncomingHttpHeaders };
  /** undefined: the site is served without TLS. */
  readonly tls: LiveTls | undefined;
  readonly pages: readonly LivePage[];
  /** What ended the crawl before all addresses were seen; null: nothing. */
  readonly cutBy: 'addresses' | 'time' | 'bytes' | 'failures' | null;
  /** Addresses that robots.txt excludes. */
  readonly excluded: number;
}

export interface CrawlOptions {
  readonly hostname: string;
  /** Of HTTP and HTTPS. */
  readonly ports: { readonly http: number; readonly https: number };
  readonly fetch: LiveFetch;
  /** Counts down what may be read. */
  readonly byteBudget: { readonly left: number };
  readonly bounds: CrawlBounds;
  readonly signal: AbortSignal;
  /** Told of the number of pages so far. */
  readonly onPages: (count: number) => void;
}

/** Why there is no site to compare with, as a sentence. */
export class LiveSiteError extends Error {
  override name = 'LiveSiteError';
}

/**
 * Looks at the site that a name shows today: from its front page and its sitemaps on, on the same host only, as its
 * robots.txt allows. Rejects with LiveSiteError where there is no front page, and with the reason of the signal.
 */
export async function crawlLiveSite(options: CrawlOptions): Promise<LiveSite> {
  const { hostname, ports, fetch, byteBudget, bounds, signal } = options;
  const endsAt = performance.now() + bounds.ms;
  const { origin, first } = await findOrigin(options);
  const robots = await robotsOf(origin, fetch);
  const crawl = new Frontier(hostname, Object.values(ports), robots, bounds.addresses);
  const pages: LivePage[] = [];
  let front = { status: first.status, headers: first.headers };
  let cutBy: LiveSite['cutBy'] = null;
  let failures = 0;

  const take = (path: string, response: LiveResponse) => {
    const url = new URL(path, origin);
    if (path === '/') front = { status: response.status, headers: response.headers };
    const to = redirectOf(response, url);
    if (to) {
      // From HTTP to HTTPS, say.
      if (crawl.isOfSite(to) && to.pathname === path) return;
      const isHere = crawl.isOfSite(to);
      pages.push({ path, title: '', redirectTo: isHere ? to.pathname : to.href });
      if (isHere) crawl.add(to);
    } else if (response.status >= 200 && response.status < 300) {
      const { title, links, base, isNofollow } = readHtml(response.text);
      pages.push({ path, title, redirectTo: undefined });
      const from = base !== undefined && URL.canParse(base, url.href) ? new URL(base, url) : url;
      if (!isNofollow) for (const link of links) crawl.addLink(link, from);
    }
    options.onPages(pages.length);
  };

  take('/', first);
  crawl.markSeen('/');
  // The front page may be elsewhere on the host, and only its last response says what the site sends.
  front = (await lastOfFront(origin, first, crawl, fetch)) ?? front;
  if (front.status < 200 || front.status >= 300) throw new LiveSiteError(refusal(origin, front));
  for (const link of await sitemapLinks(origin, robots, crawl, fetch, endsAt))
    crawl.addLink(link, new URL(origin));

  const work = async () => {
    for (let path = crawl.next(); path !== undefined && cutBy === null; path = crawl.next()) {
      if (performance.now() > endsAt) cutBy = 'time';
      else if (byteBudget.left <= 0) cutBy = 'bytes';
      else if (failures >= MAX_FAILURES) cutBy = 'failures';
      if (cutBy !== null) return;
      try {
        const response = await fetch.get(new URL(path, origin), isHtml);
        const isFailure = response.status >= 500 || response.status === 429;
        failures = isFailure ? failures + 1 : 0;
        take(path, response);
      } catch {
        signal.throwIfAborted();
        failures += 1;
      }
    }
  };
  // A worker that finds nothing to do ends; another one may still find links. So they begin again until none is left.
  while (cutBy === null && crawl.hasNext()) {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  }
  return {
    ...{ origin, front, pages, excluded: crawl.excluded, tls: first.tls },
    cutBy: cutBy ?? (crawl.isFull ? 'addresses' : null),
  };
}

/** The addresses of a crawl: those to fetch, and those that were. */
class Frontier {
  readonly #seen = new Set<string>();
  readonly #queue: string[] = [];
  readonly #hostname: string;
  readonly #ports: readonly number[];
  readonly #robots: Robots;
  readonly #most: number;
  excluded = 0;
  isFull = false;

  constructor(hostname: string, ports: readonly number[], robots: Robots, most: number) {
    this.#hostname = hostname;
    this.#ports = ports;
    this.#robots = robots;
    this.#most = most;
  }

  /** Whether an address is one of the site, over HTTP or HTTPS. */
  isOfSite({ protocol, hostname, port, username, password }: URL): boolean {
    const own = protocol === 'https:' ? 443 : 80;
    return (
      /^https?:$/.test(protocol) &&
      hostname === this.#hostname &&
      this.#ports.includes(port === '' ? own : Number(port)) &&
      username === '' &&
      password === ''
    );
  }

  markSeen(path: string): void {
    this.#seen.add(path);
  }

  addLink(href: string, from: URL): void {
    if (URL.canParse(href, from.href)) this.add(new URL(href, from));
  }

  /** Adds the page at an address. A query is left out: redirects of a site are by path. */
  add(url: URL): void {
    const { pathname } = url;
    if (!this.isOfSite(url) || pathname.length > MAX_PATH || this.#seen.has(pathname)) return;
    if (this.#seen.size >= this.#most) {
      this.isFull = true;
      return;
    }
    this.#seen.add(pathname);
    if (this.#robots.isAllowed(pathname)) this.#queue.push(pathname);
    else this.excluded += 1;
  }

  next(): string | undefined {
    return this.#queue.shift();
  }

  hasNext(): boolean {
    return this.#queue.length > 0;
  }
}

/** The scheme that the site answers to, HTTPS first, and its response to a request for the front page. */
async function findOrigin({ hostname, ports, fetch, signal }: CrawlOptions) {
  const failures: string[] = [];
  for (const scheme of ['https', 'http'] as const) {
    const { origin } = new URL(`${scheme}://${hostname}:${ports[scheme]}`);
    try {
      return { origin, first: await fetch.get(new URL('/', origin), isHtml) };
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${origin}: ${explainConnectionError(error)}`);
    }
  }
  throw new LiveSiteError(
    `The site that is there today could not be fetched. ${failures.join('. ')}.`,
  );
}

/** Why there was no response. The codes are those of Node and of OpenSSL. */
function explainConnectionError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return 'it refused the connection';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'it closed the connection without a response';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'it cannot be reached';
  }
  if (code.startsWith('HPE_')) return 'its response is not HTTP';
  if (/^(?:EPROTO|ERR_SSL|ERR_TLS)/.test(code)) return 'it does not speak TLS there';
  return code === '' || code === 'ABORT_ERR' ? `it ${message}` : `the connection failed (${code})`;
}

function refusal(origin: string, { status }: LiveSite['front']): string {
  if (status === 401 || status === 403)
    return `${origin} asks for a sign-in (${status}), so its pages could not be compared. What is served here is open to everybody.`;
  return `The front page of ${origin} answers with ${status}, so there was nothing to compare.`;
}

/** Follows the redirects of the front page on its own host; undefined where there is none to follow. */
async function lastOfFront(
  origin: string,
  first: LiveResponse,
  crawl: Frontier,
  fetch: LiveFetch,
): Promise<LiveSite['front'] | undefined> {
  let response = first;
  let url = new URL('/', origin);
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const to = redirectOf(response, url);
    if (!to) return redirects === 0 ? undefined : response;
    if (!crawl.isOfSite(to)) break;
    // One that changes the scheme alone is no page of its own.
    url = to;
    response = await fetch.get(url, () => false);
  }
  throw new LiveSiteError(
    `The front page of ${origin} redirects to ${url.origin === origin ? 'another address' : url.origin}, so there was nothing to compare.`,
  );
}

const MAX_STATUS_OF_REDIRECT = 308;

function redirectOf({ status, headers }: LiveResponse, url: URL): URL | undefined {
  const { location } = headers;
  const isRedirect = status >= 301 && status <= MAX_STATUS_OF_REDIRECT && status !== 304;
  if (!isRedirect || location === undefined || !URL.canParse(location, url.href)) return undefined;
  return new URL(location, url);
}

function isHtml({ statusCode = 0, headers }: IncomingMessage): boolean {
  const isFound = statusCode >= 200 && statusCode < 300;
  return (
    isFound && /^(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')
  );
}

const isFoundText = ({ statusCode }: IncomingMessage) => statusCode === 200;

async function robotsOf(origin: string, fetch: LiveFetch): Promise<Robots> {
  try {
    const { status, text } = await fetch.get(new URL('/robots.txt', origin), isFoundText);
    if (status === 200) return readRobots(text.slice(0, MAX_ROBOTS_BYTES), PRODUCT);
    return status >= 500 ? ALL_DISALLOWED : NO_ROBOTS;
  } catch {
    return ALL_DISALLOWED;
  }
}

/** The pages that the site's sitemaps list. */
async function sitemapLinks(
  origin: string,
  robots: Robots,
  crawl: Frontier,
  fetch: LiveFetch,
  endsAt: number,
): Promise<string[]> {
  const waiting = [...robots.sitemaps, '/sitemap.xml'];
  const seen = new Set<string>();
  const links: string[] = [];
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    if (performance.now() > endsAt) break;
    const url = URL.canParse(at, origin) ? new URL(at, origin) : undefined;
    if (!url || !crawl.isOfSite(url) || seen.has(url.href) || seen.size === MAX_SITEMAPS) continue;
    seen.add(url.href);
    try {
      const { text } = await fetch.get(url, isFoundText);
      const { pages, sitemaps } = readSitemap(text);
      links.push(...pages);
      waiting.push(...sitemaps);
    } catch {
      // A sitemap that cannot be read says nothing; the links of pages do.
    }
  }
  return links;
}
