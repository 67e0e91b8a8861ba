import type { Change } from './change.ts';
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

/** Exceptions, and the day for which it is asked which of them hold: `2026-11-30`, in UTC. */
export interface ExceptionsOfDay {
  readonly exceptions: readonly Exception[];
  readonly today: string;
}

/** The exception that holds for a change; undefined where there is none. */
export function exceptionFor(
  { exceptions, today }: ExceptionsOfDay,
  { code, operation }: Pick<Change, 'code' | 'operation'>,
): Exception | undefined {
  return exceptions.find(
    (one) =>
      one.until >= today &&
      (one.code === undefined || one.code === code) &&
      (one.operation === undefined || one.operation === operation),
  );
}

/** Whether an exception may allow a change of a verdict. */
const needsException = ({ verdict }: Pick<Change, 'verdict'>): boolean =>
  verdict === 'breaking' || verdict === 'risky';

/** A change as it counts with the exceptions. */
export function withException<C extends Change>(change: C, rules: ExceptionsOfDay): C {
  const exception = needsException(change) ? exceptionFor(rules, change) : undefined;
  if (!exception) return change;
  const { reason, until } = exception;
  return {
    ...change,
    verdict: 'compatible',
    message: `${change.message} Allowed until ${until}: ${reason}`,
    allowed: { by: 'exception', reason },
  };
}

/** Whether a text is the code of a change. */
export const isCode = (text: string): text is Code => RULES.has(text as Code);
