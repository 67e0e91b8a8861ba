import type { Alone, Measured } from '../checker/messages.ts';

/** One fault as it was seen from outside. */
export interface Trial {
  readonly fault: string;
  readonly title: string;
  /** When it began, in RFC 3339. */
  readonly at: string;
  readonly to: string;
  /** How long its cause lasted. */
  readonly heldMs: number;
  /** From the end of the cause until every machine was well again. */
  readonly wholeAfterMs: number;
  readonly reads: Measured['reads'];
  readonly writes: Measured['writes'];
  /** Where reads are to go on as ever. */
  readonly steady?: {
    /** With a whole cluster, just before. */
    readonly before: Measured['reads'];
    /** While the cause was there. */
    readonly reads: Measured['reads'];
    /** The most connections of the API that the primary had. */
    readonly connections: number;
  };
  /** The API machines that it reached, each asked by itself while the cause was there, and from its end on. */
  readonly reached?: readonly { readonly during: Alone; readonly after: Alone }[];
}
