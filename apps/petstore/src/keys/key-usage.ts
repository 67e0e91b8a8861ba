import type { Log } from '@petstore/service/log.ts';
import type { KeyStore } from '../store/contract/key-store.ts';

/** How often the use of keys is written to the store, in milliseconds. To write thousands holds up other writes. */
const WRITE_INTERVAL_MS = 60_000;

/** The most keys noted between two writes. Further keys are noted after the next write. */
const MAX_KEYS = 10_000;

/**
 * Notes when keys are used, at the cost of an entry in a map, and writes that to the store once in a while, if there is
 * something new. A crash loses a minute of it.
 */
export class KeyUsage {
  readonly #keys: KeyStore;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #uses = new Map<string, number>();

  constructor(keys: KeyStore, log: Log) {
    this.#keys = keys;
    this.#log = log;
    this.#timer = setInterval(() => void this.#write(), WRITE_INTERVAL_MS).unref();
  }

  /** A key was used. `at` is in milliseconds since 1970. */
  note(id: string, at: number): void {
    if (this.#uses.size < MAX_KEYS || this.#uses.has(id)) this.#uses.set(id, at);
  }

  /** Writes what was noted. Nothing more will be noted. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }

  async #write(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#keys.noteUses(uses);
    } catch (error) {
      this.#log.warn({ err: error }, 'the times of last use of keys could not be stored');
      // What was noted meanwhile is newer.
      this.#uses = new Map([...uses, ...this.#uses]);
    }
  }
}
