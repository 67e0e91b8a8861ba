import { endOf, type RecordedRequest } from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

/** A client that comes back in full so soon had no use for the 304. */
const AT_ONCE_MS = 1_000;

/** Once it may have been another part of the client, which has nothing kept yet. */
const BY_CHANCE = 1;

const EXPECTED = 'Use the response that the entity tag came with: 304 says that it is still right.';

export const notModifiedUnderstood: Rule = {
  code: 'not_modified_understood',
  title: 'After 304 the client uses what it has.',
  standard: {
    title: 'RFC 9110, section 15.4.5',
    url: 'https://www.rfc-editor.org/rfc/rfc9110#section-15.4.5',
  },
  advice: 'Ask for the same list again with If-None-Match: start the challenge poll.',
  judge({ requests, isOver }) {
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    requests.forEach((request, i) => {
      if (request.method !== 'GET' || request.status !== 304) return;
      const after: RecordedRequest | undefined = requests[i + 1];
      if (after && isSameInFull(request, after)) {
        const seen = `${nameOf(request)} got 304, and the client asked for it again in full at once.`;
        broken.push(evidence([request, after], seen, EXPECTED));
      } else if (after || isOver) {
        kept.push(
          evidence([request], `${nameOf(request)} got 304, and the client went on.`, EXPECTED),
        );
      }
    });
    return findingOf(broken.length > BY_CHANCE ? broken : [], kept);
  },
};

function isSameInFull(request: RecordedRequest, after: RecordedRequest): boolean {
  return (
    after.method === 'GET' &&
    after.target === request.target &&
    after.ifNoneMatch === undefined &&
    after.at >= endOf(request) - 50 &&
    after.at - endOf(request) < AT_ONCE_MS
  );
}
