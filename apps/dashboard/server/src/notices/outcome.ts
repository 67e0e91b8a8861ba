/** How one attempt to deliver a notice ended. */
export interface Outcome {
  /** The status of the answer; null where none came. */
  readonly status: number | null;
  /** A sentence for people; null: it was delivered. */
  readonly error: string | null;
  /** What the receiver asks to be left alone for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Trying again is of no use: the receiver says that it is gone, or that there is no such address. */
  readonly isFinal?: boolean;
}
