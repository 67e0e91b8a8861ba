import type { FailureState } from '../rate-limits/failed-authentications.ts';
import type { Quota } from '../rate-limits/quota.ts';

// The messages between the supervisor and its workers. A worker requests `begin`, `write`, `takeQuota`, `metrics`,
// `leave` and `metricsAtEnd`, and notifies of `ready` and `failure`. The supervisor requests `returnUnused` and
// `snapshot`, and notifies of `stop` and `failure`.

/** What a worker is told at its start. */
export interface Beginning {
  readonly worker: number;
  /** How many there are. */
  readonly workers: number;
  readonly port: number;
  /** The program's: another version may have other messages. */
  readonly version: string;
  /** Of the supervisor, who writes to it. */
  readonly databaseUrl: string;
  /** Whether the supervisor writes for all. */
  readonly hasWriter: boolean;
  readonly failures: FailureState;
}

export interface QuotaRequest {
  readonly keyId: string;
  readonly quota: Quota;
  readonly wanted: number;
}
