import { failedInPassing, parameterOf, type RecordedRequest } from '../recorded-request.ts';
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
  advice: 'List the animals and follow each link to the next page.',
  judge({ requests, isOver }) {
    const pages = requests.filter(
      ({ method, operation }) => method === 'GET' && operation === 'listPets',
    );
    const read = pages.filter(
      (page) => (page.status === 200 || page.status === 304) && !failedInPassing(page),
    );
    for (const first of read) {
      if (parameterOf(first.target, 'cursor') !== undefined || first.next === undefined) continue;
      const chain = chainFrom(first, read);
      if (chain.at(-1)?.next !== undefined) continue;
      const seen = `${chain.length} pages were read, to the last one.`;
      return findingOf([], [evidence([first, chain.at(-1) as RecordedRequest], seen, EXPECTED)]);
    }
    if (!isOver) return findingOf([], []);
    const last = pages.at(-1);
    const seen = last
      ? `The client stopped behind ${nameOf(last)}, which ${outcomeOf(last)}.`
      : 'No page was asked for.';
    return findingOf([evidence(last ? [last] : [], seen, EXPECTED)], []);
  },
};

/** The pages that follow one another from a first one. */
function chainFrom(first: RecordedRequest, read: readonly RecordedRequest[]): RecordedRequest[] {
  const chain = [first];
  for (;;) {
    const last = chain.at(-1) as RecordedRequest;
    const cursor = parameterOf(last.next ?? '', 'cursor');
    const next = read.find(
      ({ at, target }) => at > last.at && parameterOf(target, 'cursor') === cursor,
    );
    if (cursor === undefined || !next) return chain;
    chain.push(next);
  }
}
