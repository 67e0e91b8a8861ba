import type { Share } from './quota.ts';

/** What one process knows of a key's window. Times are in milliseconds of the limiter's clock. */
export class Window {
  #endsAt: number;
  /** Requests that may still pass here. */
  #atHand: number;
  /** Requests that no process had taken, when the database was asked last. */
  #left: number;
  /** The end of the header's value, and how long it stays valid: numbers are slow to write. */
  #tail = '';
  #tailUntil = Number.NEGATIVE_INFINITY;
  /** The next share is requested when so few are at hand. */
  #reorderAt = 0;

  constructor(endsAt: number, atHand: number) {
    this.#endsAt = endsAt;
    this.#atHand = atHand;
    this.#left = 0;
  }

  isRunning(now: number): boolean {
    return this.#endsAt > now;
  }

  get isUsedUp(): boolean {
    return this.#atHand === 0 && this.#left === 0;
  }

  /** Whether it is time for another share. */
  get isLow(): boolean {
    return this.#atHand <= this.#reorderAt && this.#left > 0;
  }

  /** Lets a request pass, if one may. */
  take(): boolean {
    if (this.#atHand === 0) return false;
    this.#atHand--;
    return true;
  }

  /** Adds a share; both ends are no later than the true one, so the later is nearer to it. */
  add({ requests, left }: Share, endsAt: number): void {
    this.#endsAt = Math.max(this.#endsAt, endsAt);
    this.#tailUntil = Number.NEGATIVE_INFINITY;
    this.#atHand += requests;
    this.#left = left;
    this.#reorderAt = this.#atHand >> 1;
  }

  /** Returns the requests at hand to the quota, for other processes to take. The next one here needs another share. */
  returnUnused(): number {
    const unused = this.#atHand;
    this.#atHand = 0;
    this.#left = Math.max(1, this.#left);
    this.#reorderAt = 0;
    return unused;
  }

  /** Lets this process use everything that is left, since the database cannot divide it. */
  takeAll(): void {
    this.#atHand += this.#left;
    this.#left = 0;
  }

  secondsLeft(now: number): number {
    return Math.ceil((this.#endsAt - now) / 1_000);
  }

  /** The value of `RateLimit` (draft-ietf-httpapi-ratelimit-headers): remaining requests, seconds to the end. */
  header(now: number): string {
    if (now >= this.#tailUntil) {
      const seconds = this.secondsLeft(now);
      this.#tail = `;t=${seconds}`;
      this.#tailUntil = this.#endsAt - (seconds - 1) * 1_000;
    }
    return `"default";r=${this.#atHand + this.#left}${this.#tail}`;
  }
}
