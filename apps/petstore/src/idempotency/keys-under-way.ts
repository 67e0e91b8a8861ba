import type { Refusal } from '../refusal.ts';
import type { Idempotency } from '../store/contract/idempotency.ts';
import { keyInUse } from './result.ts';

/** The keys whose first request is under way, or waits for its turn, in this process. */
export class KeysUnderWay {
  readonly #keys = new Set<string>();

  /** Does a piece of work, unless the work for the same key has not ended. */
  async alone<T>({ owner, key }: Idempotency, work: () => Promise<T>): Promise<T | Refusal> {
    const name = `${owner} ${key}`;
    if (this.#keys.has(name)) return keyInUse();
    this.#keys.add(name);
    try {
      return await work();
    } finally {
      this.#keys.delete(name);
    }
  }
}
