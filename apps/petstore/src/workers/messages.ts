import type { FailureState } from '../rate-limits/failed-authentications.ts';
import type { Quota } from '../rate-limits/quota.ts';

// What the supervisor and its workers say to each other. A worker asks `begin`, `write`, `takeQuota`, `metrics`, `leave`
// and `metricsAtEnd`, and tells `ready` and `failure`; the supervisor asks `giveBack` and `snapshot`, and tells `stop`
// and `failure`.

/** What a worker learns at its beginning. */
export interface Beginning {
  readonly worker: number;
  /** How many there are. */
  readonly workers: number;
  readonly port: number;
  /** The program's: another one may say other things. */
  readonly version: string;
  /** Of the supervisor, who writes to it. */
  readonly databaseUrl: string;
  /** Whether the supervisor writes for all. */
  readonly hasWriter: boolean;
  readonly failures: FailureState;
}

export interface QuotaQuestion {
  readonly keyId: string;
  readonly quota: Quota;
  readonly wanted: number;
}
