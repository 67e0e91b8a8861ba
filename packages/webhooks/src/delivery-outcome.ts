/** The outcome of one attempt to deliver a message. */
export interface DeliveryOutcome {
  /** The status of the response; null where there was none. */
  readonly status: number | null;
  /** A sentence for people; null: it was delivered. */
  readonly error: string | null;
  /** The beginning of the response's body, as text; empty where there was none. */
  readonly response?: string;
  /** The receiver's Retry-After, in milliseconds. */
  readonly retryAfterMs?: number;
  /** There was none within the time that the receiver has. */
  readonly timedOut?: boolean;
  /** No retry can help: the receiver says that it is gone, or that there is no such address. */
  readonly isFinal?: boolean;
}
