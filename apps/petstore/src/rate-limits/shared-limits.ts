import type { FailureEvent, FailureState } from './failed-authentications.ts';
import type { SharedQuotas } from './quota.ts';

/** What the processes that serve one port count together. */
export interface SharedLimits {
  /** Where the store has none. */
  readonly quotas: SharedQuotas;
  /** `returnUnused` is called for a key whose unused requests other processes need; it returns how many they were. */
  onRecall(returnUnused: (keyId: string) => number): void;
  readonly failures: {
    /** What was counted before this process began. */
    readonly known: FailureState;
    /** Lets the others know. */
    tell(event: FailureEvent): void;
    /** `hear` is called with what the others tell. */
    onEvent(hear: (event: FailureEvent) => void): void;
  };
}
