import type { RecordedRequest } from '../recorded-request.ts';
import { type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

/** So often may a client load the same response in full: it may have been started anew. */
const MOST_IN_FULL = 4;

const EXPECTED = 'Keep the response with its ETag, and send that as If-None-Match the next time.';

export const conditionalRequests: Rule = {
  code: 'conditional_requests',
  title: 'What is asked for again is asked for with the entity tag.',
  standard: {
    title: 'RFC 9110, section 13.1.2',
    url: 'https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2',
  },
  advice: 'Ask for the same list again while nothing changes: start the challenge poll.',
  judge({ requests }) {
    const inFull = new Map<string, RecordedRequest[]>();
    const tags = new Map<string, RecordedRequest>();
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    for (const request of requests) {
      if (request.method !== 'GET') continue;
      const { target, status, etag, ifNoneMatch } = request;
      const source = ifNoneMatch === undefined ? undefined : tags.get(`${target} ${ifNoneMatch}`);
      if (source)
        kept.push(
          evidence([source, request], `${nameOf(request)} came with the entity tag.`, EXPECTED),
        );
      if (status !== 200 || etag === undefined || request.fault !== undefined) continue;
      tags.set(`${target} ${etag}`, request);
      // One of them in between had the tag: this client knows how.
      const same = inFull.get(target) ?? [];
      const isSame = same[0]?.etag === etag && ifNoneMatch === undefined;
      inFull.set(target, isSame ? [...same, request] : [request]);
    }
    for (const same of inFull.values()) {
      if (same.length <= MOST_IN_FULL || kept.length > 0) continue;
      const seen = `${nameOf(same[0] as RecordedRequest)} was loaded in full ${same.length} times, and was the same each time.`;
      broken.push(evidence(same.slice(0, 5), seen, EXPECTED));
    }
    return findingOf(broken, kept);
  },
};
