import { isRefusal, type Refusal, refusal } from '../refusal.ts';
import type { IdempotentResult } from '../store/contract/idempotency.ts';
import type { Written } from '../store/contract/written.ts';

// What the engines share about idempotent writes: see Idempotency in store/contract/idempotency.ts.

export function idempotencyMismatch(): Refusal {
  return refusal(
    'idempotency_mismatch',
    'This Idempotency-Key was sent before with another path or body. Send what was sent then, or another key.',
  );
}

export function idempotencyConflict(): Refusal {
  return refusal(
    'idempotency_conflict',
    'Another request with this Idempotency-Key has not ended yet. Try again shortly.',
  );
}

/** The result of a write as the text that is kept. `id` may be a placeholder. */
export function encodeResult(
  result: (Omit<Written, 'id'> & { readonly id: bigint | string }) | Refusal,
  collectionUrl: string,
): string {
  if (isRefusal(result)) return JSON.stringify(result);
  // As text: JSON's readers lose digits of an int64.
  return JSON.stringify({ id: `${result.id}`, json: result.json, address: collectionUrl });
}

/** Reads such a text. */
export function decodeResult(text: string): IdempotentResult | Refusal {
  const result = JSON.parse(text) as { id: string; json: string; address: string } | Refusal;
  if (isRefusal(result)) return result;
  return { id: BigInt(result.id), json: result.json, collectionUrl: result.address };
}
