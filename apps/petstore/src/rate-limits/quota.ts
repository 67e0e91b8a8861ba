import type { FailureEvent, FailureState } from './failed-authentications.ts';

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

/** The limits that processes which serve one port count together. */
export interface SharedLimits {
  /** Used where the store has no shared quotas. */
  readonly quotas: SharedQuotas;
  /** `returnUnused` is called for a key whose unused requests other processes need; it returns how many they were. */
  onRecall(returnUnused: (keyId: string) => number): void;
  readonly failures: {
    /** What was counted before this process began. */
    readonly known: FailureState;
    /** Sends an event to the other processes. */
    tell(event: FailureEvent): void;
    /** `hear` is called with the events of the other processes. */
    onEvent(hear: (event: FailureEvent) => void): void;
  };
}
