import type { Alone, Measured } from '../checker/checker.ts';

/** One fault, as clients saw it. */
export interface Trial {
  readonly fault: string;
  readonly title: string;
  /** When it began, in RFC 3339. */
  readonly at: string;
  readonly to: string;
  /** How long its cause lasted. */
  readonly heldMs: number;
  /** From the end of the cause until every machine was healthy again. */
  readonly wholeAfterMs: number;
  readonly reads: Measured['reads'];
  readonly writes: Measured['writes'];
  /** For faults during which reads must go on as ever. */
  readonly steady?: {
    /** With a healthy cluster, just before the fault. */
    readonly before: Measured['reads'];
    /** While the cause lasted. */
    readonly reads: Measured['reads'];
    /** The most connections of the API that the primary had. */
    readonly connections: number;
  };
  /**
   * The API machines that the fault reached. Each gets requests of its own while the cause lasts, and after its end.
   */
  readonly reached?: readonly { readonly during: Alone; readonly after: Alone }[];
}
