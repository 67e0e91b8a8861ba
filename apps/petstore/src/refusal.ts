/** Why a rule of a resource refuses. Each reason is the code of the error that a client gets. */
export type RefusalCode =
  | 'not_found'
  | 'conflict'
  | 'invalid_transition'
  | 'precondition_failed'
  | 'idempotency_conflict'
  | 'idempotency_mismatch';

/** What a rule returns instead of a result. Plain data, so that it can pass between threads. */
export interface Refusal {
  readonly refused: RefusalCode;
  /** A public sentence. */
  readonly message: string;
}

export function refusal(refused: RefusalCode, message: string): Refusal {
  return { refused, message };
}

export function isRefusal(result: unknown): result is Refusal {
  return typeof result === 'object' && result !== null && 'refused' in result;
}
