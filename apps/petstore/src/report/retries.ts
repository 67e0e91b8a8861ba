import {
  endOf,
  failedInPassing,
  type RecordedRequest,
  type Recording,
} from './recorded-request.ts';

/** A request that failed in passing, and the same one again. */
export interface Retry {
  readonly failed: RecordedRequest;
  readonly again: RecordedRequest;
  /** From the end of the one to the arrival of the other, in milliseconds. */
  readonly waitMs: number;
}

/** The end of a response is seen a little later here than at the client. */
const CLOCK_SLACK_MS = 50;

/** Waits are alike up to this ratio of the longer to the shorter one. */
export const ALIKE_RATIO = 1.25;

/** A longer pause, beyond what `Retry-After` asks for, says that the request is a new one. */
const LONGEST_PAUSE_MS = 120_000;

/** What makes two requests the same, as far as the client is concerned. */
function signature({ method, target, body = '' }: RecordedRequest): string {
  return `${method} ${target} ${body}`;
}

/**
 * Every request that is the same one again, after the first had failed in passing.
 *
 * Two workers of a client may send the same request on their own. So no request counts of which two were ever under way
 * at once, and no POST without an Idempotency-Key that the client also sent again after it had succeeded.
 */
export function retriesIn(recording: Recording): Retry[] {
  // Who left a stream and opens it again has tried nothing again.
  const requests = recording.requests.filter(({ isStream }) => !isStream);
  const bySignature = Map.groupBy(requests, signature);
  const retries: Retry[] = [];
  for (const same of bySignature.values()) {
    if (overlap(same) || isRepeatedOnPurpose(same)) continue;
    for (let i = 1; i < same.length; i++) {
      const failed = same[i - 1] as RecordedRequest;
      const again = same[i] as RecordedRequest;
      const waitMs = Math.max(0, again.at - endOf(failed));
      const longestMs = LONGEST_PAUSE_MS + (failed.retryAfter ?? 0) * 1_000;
      if (failedInPassing(failed) && waitMs <= longestMs) retries.push({ failed, again, waitMs });
    }
  }
  return retries.sort((a, b) => a.again.at - b.again.at);
}

/** The same, in runs: each retry of a run follows the one before it. */
export function retryRuns(recording: Recording): Retry[][] {
  const runs: Retry[][] = [];
  const runOf = new Map<RecordedRequest, Retry[]>();
  for (const retry of retriesIn(recording)) {
    const run = runOf.get(retry.failed) ?? [];
    if (run.length === 0) runs.push(run);
    run.push(retry);
    runOf.set(retry.again, run);
  }
  return runs;
}

/**
 * Whether the waits of a run are those of a client that asks for the same thing again and again, whatever comes: right
 * before the run, or behind it, it waited as long after a response that was good.
 */
export function isPolling(run: readonly Retry[], { requests }: Recording): boolean {
  const [first, last] = [run[0], run.at(-1)];
  if (!first || !last || first.failed.method !== 'GET') return false;
  const before = requests.findLast(
    (request) => request.at < first.failed.at && isSame(request, first.failed),
  );
  const after = requests.find(
    (request) => request.at > last.again.at && isSame(request, last.again),
  );
  const pauses = [
    before && !failedInPassing(before) && first.failed.at - endOf(before),
    after && !failedInPassing(last.again) && after.at - endOf(last.again),
  ];
  return pauses.some(
    (pause) => typeof pause === 'number' && run.every(({ waitMs }) => areAlike(pause, waitMs)),
  );
}

/** Whether two requests are the same, as far as the client is concerned. */
export function isSame(one: RecordedRequest, other: RecordedRequest): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}

/** Whether two waits differ by no more than a quarter. */
function areAlike(one: number, other: number): boolean {
  return Math.max(one, other) <= ALIKE_RATIO * Math.min(one, other);
}

function overlap(same: readonly RecordedRequest[]): boolean {
  return same.some(
    (request, i) => i > 0 && request.at < endOf(same[i - 1] as RecordedRequest) - CLOCK_SLACK_MS,
  );
}

/** A client that adds two animals with the same members means it. A key of its own for each says so as well. */
function isRepeatedOnPurpose(same: readonly RecordedRequest[]): boolean {
  return same.some(
    (request, i) =>
      i < same.length - 1 &&
      request.method === 'POST' &&
      !failedInPassing(request) &&
      !isSameKey(request, same[i + 1] as RecordedRequest),
  );
}

function isSameKey(one: RecordedRequest, other: RecordedRequest): boolean {
  return one.idempotencyKey !== undefined && one.idempotencyKey === other.idempotencyKey;
}
