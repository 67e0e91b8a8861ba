import { faultKinds } from '../recorded-request.ts';
import { retriesIn } from '../retries.ts';
import { duration, evidence, findingOf, nameOf, outcomeOf, type Rule } from '../rule.ts';

/** Timers and networks are inexact: a retry that comes a little early counts as in time. */
const EARLY_SHARE = 0.1;
const EARLY_MS = 50;

export const retryAfterKept: Rule = {
  code: 'retry_after_kept',
  title: 'A retry waits as long as Retry-After says.',
  standard: {
    title: 'RFC 9110, section 10.2.3',
    url: 'https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3',
  },
  advice:
    'Have a request refused with Retry-After, and sent again: start the challenge told-to-wait.',
  judge(recording) {
    // Who counts from the head of a slow response is not early.
    const told = retriesIn(recording).filter(
      ({ failed }) => (failed.retryAfter ?? 0) > 0 && !faultKinds(failed).includes('slow'),
    );
    const judged = told.map(({ failed, again, waitMs }) => {
      const wantedMs = (failed.retryAfter ?? 0) * 1_000;
      const isEarly = waitMs < wantedMs * (1 - EARLY_SHARE) - EARLY_MS;
      const seen = `${nameOf(failed)} ${outcomeOf(failed)} with Retry-After: ${failed.retryAfter}, and came again after ${duration(waitMs)}.`;
      return {
        isEarly,
        piece: evidence(
          [failed, again],
          seen,
          `Wait ${duration(wantedMs)} before the next attempt.`,
        ),
      };
    });
    return findingOf(
      judged.filter(({ isEarly }) => isEarly).map(({ piece }) => piece),
      judged.map(({ piece }) => piece),
    );
  },
};
