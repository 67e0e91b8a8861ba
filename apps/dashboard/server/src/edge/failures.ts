import { bareAnswer } from './answer.ts';
import type { EdgeLog } from './edge-log.ts';

/** Failures are logged once in this time: when the store is away, every request fails. */
const LOG_INTERVAL_MS = 1_000;

/** What is said of requests and handshakes that fail: to the client, and to the log. */
export function failureNotes(log: EdgeLog) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    answer: bareAnswer(503, 'The site can not be read at the moment.', ['Retry-After', '1']),
    note(error: unknown): void {
      if (performance.now() - loggedAt <= LOG_INTERVAL_MS) return;
      log.error({ err: error }, 'a request can not be answered');
      loggedAt = performance.now();
    },
  };
}

export type Failures = ReturnType<typeof failureNotes>;
