import { isRefusal, type Refusal, refusal } from '../refusal.ts';
import type { Once, Written, WrittenOnce } from './store.ts';

// What the engines share of writes that happen once: see Once in store.ts.

export function keyOfAnother(): Refusal {
  return refusal(
    'idempotency_mismatch',
    'This Idempotency-Key was sent before with another path or body. Send what was sent then, or another key.',
  );
}

export function stillRunning(): Refusal {
  return refusal(
    'idempotency_conflict',
    'The first request with this Idempotency-Key has not ended yet. Try again shortly.',
  );
}

/** What came of a write as the text that is kept of it. */
export function encodeAnswer(result: Written | Refusal, address: string): string {
  if (isRefusal(result)) return JSON.stringify(result);
  // As text: JSON's readers lose digits of an int64.
  return JSON.stringify({ id: `${result.id}`, json: result.json, address });
}

/** The same read back. */
export function decodeAnswer(text: string): WrittenOnce | Refusal {
  const answer = JSON.parse(text) as { id: string; json: string; address: string } | Refusal;
  return isRefusal(answer) ? answer : { ...answer, id: BigInt(answer.id) };
}

/** The keys whose first request is under way in this process, or waits for its turn. */
export class RunningKeys {
  readonly #running = new Set<string>();

  /** Does a piece of work, unless another one for the same key has not ended. */
  async alone<T>({ owner, key }: Once, work: () => Promise<T>): Promise<T | Refusal> {
    const name = `${owner} ${key}`;
    if (this.#running.has(name)) return stillRunning();
    this.#running.add(name);
    try {
      return await work();
    } finally {
      this.#running.delete(name);
    }
  }
}
