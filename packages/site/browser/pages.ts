import { pageOf } from './dom.ts';

// The pages of the site that were fetched ahead, or a moment ago.

/** A page, or undefined where the browser has to load the address itself. */
type Fetched = Promise<{ readonly url: URL; readonly page: Document } | undefined>;

interface Entry {
  readonly fetched: Fetched;
  readonly time: number;
}

const pages = new Map<string, Entry>();

const MAX_PAGES = 16;

/** How long a page is shown without being asked for again, in milliseconds. */
const FRESH = 60_000;

/** Files that a site has besides its pages. */
const FILE = /\.(?:json|ya?ml|md|txt|xml|pdf|zip|gz|csv|js|css|svg|png|jpe?g|gif|webp|avif|ico)$/i;

/** Whether a link may lead to a page of this site. */
export function isPageLink(link: HTMLAnchorElement): boolean {
  const { origin, pathname, target, download, rel } = link;
  if (origin !== location.origin || FILE.test(pathname)) return false;
  return (target === '' || target === '_self') && !download && !/\bexternal\b/.test(rel);
}

/** The page at an address; `priority` is how much it matters among other requests. */
export function fetchPage(url: URL, priority: RequestPriority): Fetched {
  const key = pageOf(url);
  const known = pages.get(key);
  if (known && performance.now() - known.time < FRESH) return known.fetched;
  const fetched = load(url, priority).catch(() => undefined);
  pages.delete(key);
  pages.set(key, { fetched, time: performance.now() });
  const [oldest] = pages.keys();
  if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest);
  fetched.then((found) => {
    // The next attempt may succeed.
    if (!found && pages.get(key)?.fetched === fetched) pages.delete(key);
  });
  return fetched;
}

async function load(url: URL, priority: RequestPriority): Fetched {
  const address = new URL(url);
  address.hash = '';
  const response = await fetch(address, { priority, headers: { accept: 'text/html' } });
  const isHtml = response.headers.get('content-type')?.startsWith('text/html');
  const final = new URL(response.url);
  if (!response.ok || !isHtml || final.origin !== location.origin) return undefined;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return isOfThisDeploy(page) ? { url: final, page } : undefined;
}

/** A page of another deploy needs its own scripts and styles. */
function isOfThisDeploy(page: Document): boolean {
  const own = new Set(filesOf(document));
  return page.querySelector('.docs-body') !== null && filesOf(page).every((file) => own.has(file));
}

const filesOf = ({ head }: Document) =>
  [...head.querySelectorAll('script[src], link[rel=stylesheet]')].map(
    (element) => element.getAttribute('src') ?? element.getAttribute('href'),
  );
