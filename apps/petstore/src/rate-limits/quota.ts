/** How many requests a key may make in a window of time. */
export interface Quota {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** A share of a key's quota that one process may use until the window ends. */
export interface Share {
  /** Requests that this process may let pass; 0 when nothing is left. */
  readonly requests: number;
  /** What is left of the quota for everyone, without this share. */
  readonly left: number;
  /** The time until the window ends, in milliseconds, as it was at some moment of the call. */
  readonly endsInMs: number;
}

/** Divides the quotas of keys among processes that share a database. */
export interface SharedQuotas {
  /**
   * Takes a share of what is left of a key's quota: `wanted` requests, more where much is left, and fewer only where
   * fewer are left. A window begins with the first share that is taken after the last window ended. All shares of a
   * window together never exceed the quota.
   */
  take(keyId: string, quota: Quota, wanted: number): Promise<Share>;
}
