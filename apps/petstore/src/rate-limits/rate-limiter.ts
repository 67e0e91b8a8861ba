import { StoreUnavailableError } from '../store/store-errors.ts';
import type { Quota, Share, SharedQuotas } from './quota.ts';
import { RecentMap } from './recent-map.ts';

/** The decision about a request: it passes, or may be retried after so many seconds. */
export interface QuotaDecision {
  /** The value of the `RateLimit` header. */
  readonly header: string;
  /** At least 1; undefined for a request that passes. */
  readonly retryAfterSeconds: number | undefined;
}

/** The requests of a key that wait for a share of its quota. */
interface Line {
  waiting: number;
  asking: Promise<void> | undefined;
}

export interface RateLimiterDeps {
  readonly quota: Quota;
  /** Where quotas are shared with other processes; without it this process counts for itself. */
  readonly shared: SharedQuotas | undefined;
  /** A clock in milliseconds, of whatever origin. */
  readonly now: () => number;
}

/**
 * Counts the requests of each key. A key's window begins with its first request and lasts as long as the quota says, so
 * keys do not all come back at the same moment. Only keys of the last two windows are remembered.
 *
 * Where the quota is shared, this process takes shares of it from the database, so it counts most requests without
 * asking anyone. While the database is away each process counts for itself: what was left of the current window, or a
 * whole quota. Requests that need the database fail then anyway.
 */
export class RateLimiter {
  /** The value of the `RateLimit-Policy` header. */
  readonly policy: string;
  readonly #deps: RateLimiterDeps;
  readonly #windowMs: number;
  readonly #windows: RecentMap<Window>;
  readonly #lines = new Map<string, Line>();

  constructor(deps: RateLimiterDeps) {
    const { requests, windowSeconds } = deps.quota;
    this.#deps = deps;
    this.#windowMs = windowSeconds * 1_000;
    this.#windows = new RecentMap(this.#windowMs);
    this.policy = `"default";q=${requests};w=${windowSeconds}`;
  }

  /** Counts a request of a key, or says when to try again. It rejects only because of a defect. */
  admit(keyId: string): QuotaDecision | Promise<QuotaDecision> {
    return this.#decide(keyId) ?? this.#decideLater(keyId);
  }

  /** Returns what this process has taken of a key's quota and not used: how many requests. */
  returnUnused(keyId: string): number {
    return this.#running(keyId, this.#deps.now())?.returnUnused() ?? 0;
  }

  /** undefined where the database has to be asked. */
  #decide(keyId: string): QuotaDecision | undefined {
    const now = this.#deps.now();
    const window =
      this.#running(keyId, now) ?? (this.#deps.shared ? undefined : this.#beginAlone(keyId, now));
    if (window?.take()) {
      if (window.isLow) this.#prefetchShare(keyId);
      return { header: window.header(now), retryAfterSeconds: undefined };
    }
    if (!window?.isUsedUp) return undefined;
    return { header: window.header(now), retryAfterSeconds: window.secondsLeft(now) };
  }

  async #decideLater(keyId: string): Promise<QuotaDecision> {
    const line = this.#lineOf(keyId);
    line.waiting++;
    try {
      for (;;) {
        await this.#ask(keyId, line);
        const decision = this.#decide(keyId);
        if (decision) return decision;
      }
    } finally {
      line.waiting--;
      this.#leave(keyId, line);
    }
  }

  /** Takes the next share ahead of time. An error is ignored: the next request that waits asks again. */
  #prefetchShare(keyId: string): void {
    const line = this.#lineOf(keyId);
    if (!line.asking) this.#ask(keyId, line).catch(() => undefined);
  }

  /** Asks the database once for all waiting requests. */
  #ask(keyId: string, line: Line): Promise<void> {
    line.asking ??= this.#takeShare(keyId, Math.max(1, line.waiting)).finally(() => {
      line.asking = undefined;
      this.#leave(keyId, line);
    });
    return line.asking;
  }

  async #takeShare(keyId: string, wanted: number): Promise<void> {
    const { shared, quota, now } = this.#deps;
    // The time that is left counts from before the request: no window ends later here than there.
    const sentAt = now();
    try {
      const share = await shared?.take(keyId, quota, wanted);
      const endsAt = sentAt + (share?.endsInMs ?? 0);
      const receivedAt = now();
      if (share && endsAt > receivedAt) {
        const window =
          this.#running(keyId, receivedAt) ?? this.#begin(keyId, endsAt, 0, receivedAt);
        window.add(share, endsAt);
        return;
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    // The database is away, or so slow that the window was over before it responded.
    const window = this.#running(keyId, now());
    if (window) window.takeAll();
    else this.#beginAlone(keyId, now());
  }

  #lineOf(keyId: string): Line {
    let line = this.#lines.get(keyId);
    if (!line) {
      line = { waiting: 0, asking: undefined };
      this.#lines.set(keyId, line);
    }
    return line;
  }

  #leave(keyId: string, { waiting, asking }: Line): void {
    if (waiting === 0 && !asking) this.#lines.delete(keyId);
  }

  #running(keyId: string, now: number): Window | undefined {
    const window = this.#windows.get(keyId);
    return window?.isRunning(now) ? window : undefined;
  }

  /** A window of this process alone. */
  #beginAlone(keyId: string, now: number): Window {
    return this.#begin(keyId, now + this.#windowMs, this.#deps.quota.requests, now);
  }

  #begin(keyId: string, endsAt: number, atHand: number, now: number): Window {
    const window = new Window(endsAt, atHand);
    this.#windows.set(keyId, window, now);
    return window;
  }
}

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
  #prefetchAt = 0;

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
    return this.#atHand <= this.#prefetchAt && this.#left > 0;
  }

  /** Lets a request pass, if one may. */
  take(): boolean {
    if (this.#atHand === 0) return false;
    this.#atHand--;
    return true;
  }

  /** Adds a share. Neither known end is later than the window's true end, so the later one is closer to it. */
  add({ requests, left }: Share, endsAt: number): void {
    this.#endsAt = Math.max(this.#endsAt, endsAt);
    this.#tailUntil = Number.NEGATIVE_INFINITY;
    this.#atHand += requests;
    this.#left = left;
    this.#prefetchAt = this.#atHand >> 1;
  }

  /** Returns the requests at hand to the quota, for other processes to take. The next one here needs another share. */
  returnUnused(): number {
    const unused = this.#atHand;
    this.#atHand = 0;
    this.#left = Math.max(1, this.#left);
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
