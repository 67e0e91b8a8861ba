import { byCursor, isReadable, parameterOf, type RecordedRequest } from '../recorded-request.ts';
import { evidence, findingOf, nameOf, outcomeOf, type Rule } from '../rule.ts';

const EXPECTED =
  'Read on until a page comes without Link rel="next", also after a page that failed.';

/** Of challenges alone: in general nobody knows whether a client wanted all of it. */
export const everythingListed: Rule = {
  code: 'everything_listed',
  title: 'The list of animals was read from its beginning to its end.',
  standard: {
    title: 'RFC 8288, section 3',
    url: 'https://www.rfc-editor.org/rfc/rfc8288#section-3',
  },
  advice:
    'List the animals with the limit that the task names, and follow each link to the next page.',
  judge({ requests, isOver }) {
    const pages = requests.filter(
      ({ method, operation }) => method === 'GET' && operation === 'listPets',
    );
    const read = pages.filter(
      (page) => (page.status === 200 || page.status === 304) && isReadable(page),
    );
    const pagesBehind = byCursor(read);
    /** Pages from which the end was not reached. */
    const tried = new Set<RecordedRequest>();
    for (const first of read) {
      if (parameterOf(first.target, 'cursor') !== undefined || isOnlyPage(first)) continue;
      const chain = chainFrom(first, pagesBehind, tried);
      if (!chain) continue;
      const seen = `${chain.length} pages were read, to the last one.`;
      return findingOf([], [evidence([first, chain.at(-1) as RecordedRequest], seen, EXPECTED)]);
    }
    const last = pages.at(-1);
    // A list that fits into a page has no links to follow.
    const isWhole = last !== undefined && read.includes(last) && isOnlyPage(last);
    if (!isOver || isWhole) return findingOf([], []);
    const seen = last
      ? `The client stopped behind ${nameOf(last)}, which ${outcomeOf(last)}.`
      : 'No page was asked for.';
    return findingOf([evidence(last ? [last] : [], seen, EXPECTED)], []);
  },
};

function isOnlyPage({ target, next }: RecordedRequest): boolean {
  return parameterOf(target, 'cursor') === undefined && next === undefined;
}

/** The pages that follow one another from a first one to the last; undefined where they do not get there. */
function chainFrom(
  first: RecordedRequest,
  pages: ReadonlyMap<string, readonly RecordedRequest[]>,
  tried: Set<RecordedRequest>,
): RecordedRequest[] | undefined {
  const chain: RecordedRequest[] = [];
  for (let page: RecordedRequest | undefined = first; page && !tried.has(page); ) {
    const { next, at }: RecordedRequest = page;
    chain.push(page);
    tried.add(page);
    if (next === undefined) return chain;
    page = pages.get(parameterOf(next, 'cursor') ?? '')?.find((later) => later.at > at);
  }
  return undefined;
}
