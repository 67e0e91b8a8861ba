import { ask } from '../edge-checks.ts';
import type { Operation } from './operations.ts';

/** `/_site/navigation.json` of a site: all that its sidebar can show. */
export interface Navigation {
  readonly tags: readonly {
    readonly path: string;
    readonly title: string;
    readonly operations: readonly (readonly [
      method: string,
      title: string,
      path: string,
      ...rest: unknown[],
    ])[];
  }[];
}

export async function readNavigation(site: string): Promise<Navigation> {
  return JSON.parse(await getFrom(site, '/_site/navigation.json')) as Navigation;
}

/** The paths of all pages of a site, out of its sitemap. */
export async function readPaths(site: string): Promise<string[]> {
  const paths = async (file: string): Promise<string[]> => {
    const xml = await getFrom(site, file);
    const found = [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url);
    const own = found.map((url) => new URL(url.replaceAll('&amp;', '&')).pathname);
    return xml.includes('<sitemapindex') ? (await Promise.all(own.map(paths))).flat() : own;
  };
  return paths('/sitemap.xml');
}

/** Names under `localhost`, which browsers resolve by themselves, are none to Node. */
async function getFrom(site: string, path: string): Promise<string> {
  const { host, port } = new URL(site);
  const { status, body } = await ask(`http://127.0.0.1:${port}${path}`, { host });
  if (status !== 200) throw new Error(`${site}${path} answers ${status}`);
  return body.toString();
}

/** Where a site shows an operation. Several may have the same method and title: then its id stands in the address. */
export function pageOf({ tags }: Navigation, { method, summary, operationId }: Operation): string {
  const alike = tags
    .flatMap(({ operations }) => operations)
    .filter(([itsMethod, title]) => itsMethod === method && isTitleOf(title, summary))
    .map(([, , path]) => path);
  const ending = operationId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const found = alike.find((path) => path.toLowerCase().endsWith(`/${ending}`)) ?? alike[0];
  if (found === undefined) throw new Error(`the site has no page for ${method} ${summary}`);
  return found;
}

/** A summary of several lines is one where it is a title, and a long one is cut. */
export function isTitleOf(title: string, summary: string): boolean {
  const line = summary.replace(/\s+/g, ' ');
  return title.endsWith('…') ? line.startsWith(title.slice(0, -1)) : title === line;
}
