import { mayHaveHappened, type RecordedRequest } from '../recorded-request.ts';
import { retriesIn } from '../retries.ts';
import { evidence, findingOf, nameOf, outcomeOf, type Rule } from '../rule.ts';

/** Operations that add something each time. To end an order twice does nothing the second time. */
const ADDING = new Set(['createPet', 'createCategory', 'placeOrder']);

const EXPECTED =
  'Send an Idempotency-Key, the same with each attempt; without one, look whether it was done before sending it again.';

export const noUnsafeRetry: Rule = {
  code: 'no_unsafe_retry',
  title: 'A POST that may have been done is not sent again without an Idempotency-Key.',
  standard: {
    title: 'RFC 9110, section 9.2.2',
    url: 'https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2',
  },
  advice: 'Let a POST fail after it was done: start the challenge add-once.',
  judge(recording) {
    const uncertain = recording.requests.filter(
      (request) =>
        request.method === 'POST' &&
        ADDING.has(request.operation ?? '') &&
        mayHaveHappened(request),
    );
    const retryOf = new Map(retriesIn(recording).map((retry) => [retry.failed, retry.again]));
    const broken = uncertain.flatMap((failed) => {
      const again = retryOf.get(failed);
      if (!again || failed.idempotencyKey !== undefined) return [];
      const seen = `${nameOf(failed)} ${outcomeOf(failed)}, so it may have been done; it was sent again without an Idempotency-Key.`;
      return [evidence([failed, again], seen, EXPECTED)];
    });
    const kept = uncertain.flatMap((failed) => {
      const again = retryOf.get(failed) ?? laterThan(failed, recording.requests);
      if (!again) return [];
      const seen =
        failed.idempotencyKey === undefined
          ? `${nameOf(failed)} ${outcomeOf(failed)} and was not sent again.`
          : `${nameOf(failed)} ${outcomeOf(failed)}; it had an Idempotency-Key.`;
      return [evidence([failed, again], seen, EXPECTED)];
    });
    return findingOf(broken, kept);
  },
};

/** The first request after another: the client went on. */
function laterThan(
  failed: RecordedRequest,
  requests: readonly RecordedRequest[],
): RecordedRequest | undefined {
  return requests[requests.indexOf(failed) + 1];
}
