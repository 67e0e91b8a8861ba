import type { ChallengeRun } from '../../report/challenge-run.ts';
import type { RecordBounds } from '../../report/record-bounds.ts';
import type {
  RecordedRequest,
  RequestBatch,
  UnwrittenBatch,
} from '../../report/recorded-request.ts';

/** What clients of sandboxes asked for, for the report. A sandbox that goes takes it along. */
export interface ReportStore {
  /**
   * Writes requests down, each under the next number of its sandbox, and forgets all but the newest of it: as many as
   * the bounds allow, where the oldest may go beyond the bytes. Those of a sandbox that is gone are left out.
   *
   * Of each sandbox all are written, or none. Resolves with those batches of which none are.
   */
  record(batches: readonly RequestBatch[], bounds: RecordBounds): Promise<UnwrittenBatch[]>;
  /** The requests of a sandbox, in the order of their numbers. */
  requests(sandbox: string): Promise<RecordedRequest[]>;
  /** The challenge that a sandbox is at, or was at last. */
  run(sandbox: string): Promise<ChallengeRun | undefined>;
  /** Stores the sandbox's challenge in place of an earlier one. False where there is no such sandbox. */
  keepRun(sandbox: string, run: ChallengeRun): Promise<boolean>;
}
