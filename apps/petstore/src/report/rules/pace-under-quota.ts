import { endOf } from '../recorded-request.ts';
import { isSame } from '../retries.ts';
import { type Evidence, evidence, findingOf, type Rule } from '../rule.ts';

/** Requests that were under way already, or that another part of the client was about to send. */
const GRACE_MS = 250;

/** So many requests in the time in which none is allowed show that nobody looks. */
const TOO_MANY = 3;

const EXPECTED =
  'After 429 send nothing until Retry-After is over; better, slow down when RateLimit says that little is left.';

export const paceUnderQuota: Rule = {
  code: 'pace_under_quota',
  title: 'After 429 the whole client waits.',
  standard: {
    title: 'RFC 6585, section 4',
    url: 'https://www.rfc-editor.org/rfc/rfc6585#section-4',
  },
  advice: 'Send more requests than a quota allows: start the challenge quota.',
  judge({ requests, isOver }) {
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    let until = 0;
    for (const refused of requests) {
      if (refused.status !== 429 || !refused.retryAfter) continue;
      const from = endOf(refused);
      // One pause is judged once, by its first 429.
      if (refused.at < until) continue;
      until = from + refused.retryAfter * 1_000;
      // An early retry of the same request is another rule's.
      const during = requests.filter(
        (request) =>
          request.at > from + GRACE_MS && request.at < until && !isSame(request, refused),
      );
      const retryAfter = `Retry-After: ${refused.retryAfter}`;
      if (during.length >= TOO_MANY) {
        const seen = `Request ${refused.number} got 429 with ${retryAfter}, and ${during.length} others came before that was over.`;
        broken.push(evidence([refused, ...during.slice(0, 4)], seen, EXPECTED));
      } else if (during.length === 0 && (isOver || requests.some(({ at }) => at >= until))) {
        kept.push(evidence([refused], `Nothing came before ${retryAfter} was over.`, EXPECTED));
      }
    }
    return findingOf(broken, kept);
  },
};
