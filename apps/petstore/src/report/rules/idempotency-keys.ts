import type { RecordedRequest } from '../recorded-request.ts';
import { retriesIn } from '../retries.ts';
import { type Evidence, evidence, findingOf, nameOf, outcomeOf, type Rule } from '../rule.ts';

export const idempotencyKeys: Rule = {
  code: 'idempotency_keys',
  title: 'One Idempotency-Key stands for one request, and a retry keeps it.',
  standard: {
    title: 'draft-ietf-httpapi-idempotency-key-header, section 2.2',
    url: 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.2',
  },
  advice: 'Add two animals, each with an Idempotency-Key: start the challenge add-once.',
  judge(recording) {
    const withKey = recording.requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
    const first = new Map<string, RecordedRequest>();
    const broken: Evidence[] = [];
    for (const request of withKey) {
      const key = request.idempotencyKey as string;
      const earlier = first.get(key);
      if (!earlier) first.set(key, request);
      else if (isOther(earlier, request)) {
        const seen = `${nameOf(request)} has the Idempotency-Key of another request.`;
        broken.push(evidence([earlier, request], seen, 'Make a new key for each new request.'));
      } else if (earlier.body === undefined) first.set(key, request);
    }
    for (const { failed, again } of retriesIn(recording)) {
      const { idempotencyKey: key } = failed;
      // Nothing was done for 429, so another key does no harm there.
      if (key === undefined || failed.status === 429 || again.idempotencyKey === key) continue;
      const how = again.idempotencyKey === undefined ? 'without its' : 'with another';
      const seen = `${nameOf(failed)} ${outcomeOf(failed)}, and was sent again ${how} Idempotency-Key.`;
      broken.push(
        evidence([failed, again], seen, 'Send the retry with the key of the first attempt.'),
      );
    }
    const kept =
      withKey.length > 1
        ? [
            evidence(
              withKey.slice(0, 5),
              `Each of ${first.size} keys was for one request; ${withKey.length} requests had one.`,
              'Make a new key for each new request.',
            ),
          ]
        : [];
    return findingOf(broken, kept);
  },
};

/** What the service compares: the method, the path, and the body. A body that did not arrive is like any other. */
function isOther(one: RecordedRequest, other: RecordedRequest): boolean {
  const isOtherBody = one.body !== undefined && other.body !== undefined && one.body !== other.body;
  return isOtherBody || pathOf(one) !== pathOf(other);
}

function pathOf({ method, target }: RecordedRequest): string {
  return `${method} ${target.split('?', 1)[0]}`;
}
