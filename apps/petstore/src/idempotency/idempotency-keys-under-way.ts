import type { Refusal } from '../refusal.ts';
import type { Idempotency } from '../store/contract/idempotency.ts';
import { idempotencyConflict } from './result.ts';

/** The Idempotency-Keys with a request under way in this process, replays included. */
export class IdempotencyKeysUnderWay {
  readonly #keys = new Set<string>();

  /** Does a piece of work, unless the work for the same key has not ended. */
  async alone<T>({ owner, key }: Idempotency, work: () => Promise<T>): Promise<T | Refusal> {
    const name = `${owner} ${key}`;
    if (this.#keys.has(name)) return idempotencyConflict();
    this.#keys.add(name);
    try {
      return await work();
    } finally {
      this.#keys.delete(name);
    }
  }
}
