import type { RecordedDelivery } from './recorded-request.ts';

/** A challenge that a sandbox is at, or was at last. */
export interface ChallengeRun {
  readonly code: string;
  readonly seed: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** The number of the last request before it. */
  readonly after: number;
  /** When the client said that it is done, in milliseconds since 1970. */
  readonly endedAt?: number | undefined;
  /** The number of the last request until then: the clock may have been set since a request came. */
  readonly until?: number | undefined;
  /** What the webhooks of the sandbox did when they were tried, at the end. */
  readonly deliveries?: readonly RecordedDelivery[] | undefined;
}
