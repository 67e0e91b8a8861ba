import type { EdgeVisitor } from './edge-visitor.ts';
import { readSitemap } from './read-html.ts';

/** A page of the future site. */
export interface OurPage {
  /** Percent-encoded. */
  readonly path: string;
  /** Empty where it is not known. */
  readonly title: string;
}

/** More pages than this are no candidates for redirects. */
const MAX_PAGES = 20_000;
const MAX_SITEMAPS = 10;

/** The pages of the future site, by the lists that it gives to programs: `/sitemap.xml`, with the titles of `/llms.txt`. */
export async function listOurPages(edge: EdgeVisitor): Promise<OurPage[]> {
  const paths = new Set<string>();
  const waiting = ['/sitemap.xml'];
  for (let read = 0; read < MAX_SITEMAPS; read++) {
    const at = waiting.shift();
    if (at === undefined) break;
    const { status, text } = await edge.get(at);
    if (status !== 200) break;
    const { pages, sitemaps } = readSitemap(text);
    for (const page of pages) if (paths.size < MAX_PAGES) paths.add(pathOf(page));
    waiting.push(...sitemaps.map(pathOf));
  }
  const { status, text } = await edge.get('/llms.txt');
  const titles = status === 200 ? titlesIn(text) : new Map<string, string>();
  return [...paths].map((path) => ({ path, title: titles.get(path) ?? '' }));
}

function pathOf(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : address;
}

/** The items of a list as https://llmstxt.org has them: `- [Title](address.md): what it is about`. */
function titlesIn(markdown: string): Map<string, string> {
  const titles = new Map<string, string>();
  for (const line of markdown.split('\n')) {
    const [, title = '', address = ''] =
      /^- \[((?:[^\\\]]|\\.){1,400})\]\(([^)\s]+)\)/.exec(line) ?? [];
    if (address === '') continue;
    const path = pathOf(address).replace(/\.md$/, '');
    const page = path.endsWith('/index') ? path.slice(0, -'index'.length) : path;
    titles.set(page, title.replace(/\\(.)/g, '$1').replaceAll('&lt;', '<'));
  }
  return titles;
}
