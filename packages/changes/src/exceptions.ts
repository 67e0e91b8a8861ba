import { type Code, RULES } from './rules.ts';

/** A change that may be made although it breaks clients. */
export interface Exception {
  /** undefined: every change of the operation. */
  readonly code: Code | undefined;
  /** `GET /pets`; undefined: every operation, and the document itself. */
  readonly operation: string | undefined;
  readonly reason: string;
  /** The last day on which it holds: `2026-12-31`, in UTC. */
  readonly until: string;
}

/** The exception that holds for a change; undefined where there is none. */
export function exceptionFor(
  { exceptions, today }: { readonly exceptions: readonly Exception[]; readonly today: string },
  code: Code,
  operation: string | null,
): Exception | undefined {
  return exceptions.find(
    (one) =>
      one.until >= today &&
      (one.code === undefined || one.code === code) &&
      (one.operation === undefined || one.operation === operation),
  );
}

/** Whether a text is the code of a change. */
export const isCode = (text: string): text is Code => RULES.has(text as Code);
