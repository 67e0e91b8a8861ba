import type { FailureEvent, FailureState } from './failed-authentications.ts';
import type { SharedQuotas } from './quota.ts';

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
