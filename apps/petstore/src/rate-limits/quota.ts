import type { FailureEvent, FailureState } from './failed-authentications.ts';

/** How many requests a key may make in a window of time. */
export interface Quota {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** A part of a key's quota that one process may use until its window ends. */
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
   * Takes a part of what is left of a key's quota: `wanted` requests, or more where much is left, and
   * less only where there is less. A window begins with the first part that is taken after the last
   * one ended. All parts of a window together never exceed the quota.
   */
  take(keyId: string, quota: Quota, wanted: number): Promise<Share>;
}

/** What the processes that serve one port count together. */
export interface SharedLimits {
  /** Where the store has none. */
  readonly quotas: SharedQuotas;
  /** `giveBack` is called for a key whose unused requests others want; it gives how many they were. */
  onRecall(giveBack: (keyId: string) => number): void;
  readonly failures: {
    /** What was counted before this process began. */
    readonly known: FailureState;
    /** Lets the others know. */
    tell(event: FailureEvent): void;
    /** `hear` is called with what the others tell. */
    onEvent(hear: (event: FailureEvent) => void): void;
  };
}
