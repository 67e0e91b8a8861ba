import { truncate } from '@petstore/service/text.ts';
import type { LivePage, LiveSite } from './crawl-live-site.ts';
import type { EdgeVisitor } from './edge-visitor.ts';
import { listOurPages, type OurPage } from './our-pages.ts';
import type { ComparedPage, Comparison } from './rehearsal.ts';
import { pageMatcher, redirectsYaml } from './suggest-redirects.ts';

const AT_ONCE = 4;
const MAX_TITLE = 120;

/** Asks the edge for each address that readers have today, and suggests redirects for those that are missing. */
export async function comparePages(live: LiveSite, edge: EdgeVisitor): Promise<Comparison> {
  const ours = await listOurPages(edge);
  const suggest = redirectSuggester(live.pages, ours);
  const waiting = [...live.pages];
  const pages: ComparedPage[] = [];
  const work = async () => {
    for (let page = waiting.shift(); page; page = waiting.shift()) {
      pages.push(await compare(page, edge, suggest));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  pages.sort(inOrder);
  const counted = (state: ComparedPage['state']) =>
    pages.filter((page) => page.state === state).length;
  const redirects = pages.flatMap(({ path, suggestion }) =>
    suggestion === null ? [] : [{ from: path, to: suggestion }],
  );
  return {
    origin: live.origin,
    found: counted('found'),
    redirected: counted('redirected'),
    missing: counted('missing'),
    ...{ pages, cutBy: live.cutBy, excluded: live.excluded },
    redirects: redirects.length === 0 ? '' : redirectsYaml(redirects),
  };
}

async function compare(
  page: LivePage,
  edge: EdgeVisitor,
  suggest: ReturnType<typeof redirectSuggester>,
): Promise<ComparedPage> {
  const { path, title } = page;
  const common = { path, title: truncate(title, MAX_TITLE), to: null, suggestion: null };
  const found = await edge.find(path);
  if (found.kind === 'page') return { ...common, state: 'found' };
  if (found.kind === 'moved') return { ...common, state: 'redirected', to: found.to };
  // Nothing can redirect from there (RFC 8615).
  const isReserved = path.startsWith('/.well-known/');
  const suggestion = isReserved ? undefined : suggest(page);
  return { ...common, state: 'missing', suggestion: suggestion ?? null };
}

const MAX_REDIRECTS = 5;

/** Suggests where a page should be redirected that is missing here; undefined where there is no good target. */
function redirectSuggester(live: readonly LivePage[], ours: readonly OurPage[]) {
  const liveByPath = new Map(live.map((page) => [page.path, page]));
  const ourPaths = new Set(ours.map(({ path }) => path));
  const mostAlike = pageMatcher(ours);
  return (page: LivePage): string | undefined => {
    // Where its readers are led today is where they want to go.
    let end: LivePage = page;
    for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
      const { redirectTo } = end;
      if (redirectTo === undefined) break;
      if (redirectTo.startsWith('https://') || ourPaths.has(redirectTo)) return redirectTo;
      end = liveByPath.get(redirectTo) ?? { path: redirectTo, title: '', redirectTo: undefined };
    }
    return mostAlike(end) ?? (end === page ? undefined : mostAlike(page));
  };
}

const ORDER: readonly ComparedPage['state'][] = ['missing', 'redirected', 'found'];

function inOrder(a: ComparedPage, b: ComparedPage): number {
  return ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.path < b.path ? -1 : 1);
}
