import { parameterOf, type RecordedRequest } from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

/** Parameters by which other services count pages. This one has none of them. */
const COUNTING = ['page', 'offset', 'skip', 'page_token', 'pageToken', 'starting_after'] as const;

const EXPECTED = 'Follow the address that Link with rel="next" gives, until there is none.';

export const pagesByLink: Rule = {
  code: 'pages_by_link',
  title: 'Lists are read by following the link to the next page.',
  standard: {
    title: 'RFC 8288, section 3',
    url: 'https://www.rfc-editor.org/rfc/rfc8288#section-3',
  },
  advice: 'List animals with a limit smaller than their number, and read on to the second page.',
  judge({ requests, isWhole }) {
    const given = new Map<string, RecordedRequest>();
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    for (const request of requests) {
      const { target, next } = request;
      const cursor = isList(request) ? parameterOf(target, 'cursor') : undefined;
      const counted = isList(request)
        ? COUNTING.find((name) => parameterOf(target, name) !== undefined)
        : undefined;
      if (counted !== undefined) {
        broken.push(
          evidence(
            [request],
            `${nameOf(request)} counts with ${counted}, which does nothing.`,
            EXPECTED,
          ),
        );
      } else if (cursor !== undefined) {
        const from = given.get(cursor);
        // A cursor in place of which there is … cannot be one of the service.
        if (from)
          kept.push(evidence([from, request], 'It followed the link to the next page.', EXPECTED));
        else if (isWhole || cursor === '…') {
          broken.push(
            evidence([request], `${nameOf(request)} has a cursor that no Link gave.`, EXPECTED),
          );
        }
      }
      const nextCursor = next === undefined ? undefined : parameterOf(next, 'cursor');
      if (nextCursor !== undefined) given.set(nextCursor, request);
    }
    return findingOf(broken, kept);
  },
};

function isList({ method, operation }: RecordedRequest): boolean {
  return (
    method === 'GET' &&
    operation !== undefined &&
    /^list(?:Pets|Categories|Orders)$/.test(operation)
  );
}
