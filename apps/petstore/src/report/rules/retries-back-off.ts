import { ALIKE_RATIO, isPolling, type Retry, retryRuns } from '../retries.ts';
import { duration, type Evidence, evidence, findingOf, nameOf, type Rule } from '../rule.ts';

/** Waits below this are none: the client sent the request again at once. */
const AT_ONCE_MS = 20;

/** One retry at once is common after a stale connection. Two in a row are hammering. */
const HAMMERING = 2;

/** So many waits that differ by no more than a quarter are constant. Random ones hardly ever look so. */
const CONSTANT = 4;

const EXPECTED =
  'Wait before each attempt, and longer before each further one, with some chance in it.';

export const retriesBackOff: Rule = {
  code: 'retries_back_off',
  title: 'Retries wait, and longer each time.',
  standard: {
    title: 'Timeouts, retries and backoff with jitter (Amazon Builders’ Library)',
    url: 'https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/',
  },
  advice:
    'Let a request fail three times in a row without Retry-After: start the challenge back-off.',
  judge(recording) {
    const broken: Evidence[] = [];
    const kept: Evidence[] = [];
    for (const whole of retryRuns(recording)) {
      for (const run of untold(whole)) {
        const first = run[0] as Retry;
        const waits = run.map(({ waitMs }) => waitMs);
        const piece = evidence(
          [first.failed, ...run.map(({ again }) => again)],
          `${nameOf(first.failed)} was sent ${run.length + 1} times, with waits of ${waits.map(duration).join(', ')}.`,
          EXPECTED,
        );
        const isBroken = isHammering(waits) || (isConstant(waits) && !isPolling(run, recording));
        if (isBroken) broken.push(piece);
        else if (waits.length > 1 && (waits.at(-1) ?? 0) > (waits[0] ?? 0)) kept.push(piece);
      }
    }
    return findingOf(broken, kept);
  },
};

/** The parts of a run in which the service did not say how long to wait. */
function untold(run: readonly Retry[]): Retry[][] {
  const parts: Retry[][] = [[]];
  for (const retry of run) {
    if (retry.failed.retryAfter !== undefined) parts.push([]);
    else parts.at(-1)?.push(retry);
  }
  return parts.filter((part) => part.length > 0);
}

function isHammering(waits: readonly number[]): boolean {
  let inARow = 0;
  for (const wait of waits) {
    inARow = wait < AT_ONCE_MS ? inARow + 1 : 0;
    if (inARow === HAMMERING) return true;
  }
  return false;
}

function isConstant(waits: readonly number[]): boolean {
  return waits.length >= CONSTANT && Math.max(...waits) <= ALIKE_RATIO * Math.min(...waits);
}
