import type { Command } from './commands.ts';

/** How long a failed write counts, in milliseconds, where no later one tells otherwise. */
const FAILURE_LASTS_MS = 5_000;

/** Knows whether writes fail: readiness tells others before they try. */
export class WriteHealth {
  #failedAt = Number.NEGATIVE_INFINITY;

  /** A group of commands could not be committed. */
  failed(): void {
    this.#failedAt = performance.now();
  }

  /** A group of commands was committed. A probe, which fits on any full disk, proves nothing. */
  succeeded(commands: readonly Command[]): void {
    if (!this.isGood && commands.some(({ kind }) => kind !== 'probe')) {
      this.#failedAt = Number.NEGATIVE_INFINITY;
    }
  }

  get isGood(): boolean {
    return performance.now() - this.#failedAt > FAILURE_LASTS_MS;
  }
}
