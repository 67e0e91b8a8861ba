import type { Quota, Share } from './quota.ts';
import { RecentMap } from './recent-map.ts';

/** A process that takes shares of quotas. */
interface Borrower {
  /** Returns what it has not used of a key's quota: how many requests. Rejects when the process has ended. */
  returnUnused(keyId: string): Promise<number>;
}

/** A key's window, for all processes together. */
interface LentWindow {
  readonly endsAt: number;
  /** Requests that no process has taken. */
  left: number;
  /** The processes that may have unused requests, with the share that each took last. */
  readonly holders: Map<Borrower, Share>;
  /** Set while the unused requests are recalled from the other processes. */
  recall: Promise<void> | undefined;
}

/** A process takes at least this fraction of what is left: one sixteenth. */
const PART = 16;

/**
 * Divides the quotas of keys among the processes of one service. Each process takes a share, so it counts most requests
 * without asking anyone. When nothing is left, the others return what they have not used. So exactly as many requests
 * pass as a quota allows, whichever processes they reach. The share of a process that was killed is lost until the
 * window ends.
 */
export class LentQuotas {
  readonly #now: () => number;
  #windows: RecentMap<LentWindow> | undefined;
  readonly #keysOf = new WeakMap<Borrower, Set<string>>();

  /** `now`: a clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** As SharedQuotas has it, for one of the processes. */
  async take(by: Borrower, keyId: string, quota: Quota, wanted: number): Promise<Share> {
    for (;;) {
      const window = this.#window(keyId, quota);
      if (window.left > 0 || !isOfOthers(window, by)) return this.#lend(by, keyId, window, wanted);
      window.recall ??= this.#recall(keyId, window, by);
      await window.recall;
    }
  }

  /** Has a process return everything that it holds, since it is about to end. */
  async leave(by: Borrower): Promise<void> {
    for (const keyId of this.#keysOf.get(by) ?? []) {
      const window = this.#windows?.get(keyId);
      if (window?.holders.has(by)) await this.#returnUnused(keyId, window, by);
    }
  }

  #window(keyId: string, { requests, windowSeconds }: Quota): LentWindow {
    const now = this.#now();
    this.#windows ??= new RecentMap(windowSeconds * 1_000);
    const known = this.#windows.get(keyId);
    if (known && known.endsAt > now) return known;
    const window: LentWindow = {
      endsAt: now + windowSeconds * 1_000,
      left: requests,
      holders: new Map(),
      recall: undefined,
    };
    this.#windows.set(keyId, window, now);
    return window;
  }

  #lend(by: Borrower, keyId: string, window: LentWindow, wanted: number): Share {
    const requests = Math.min(window.left, Math.max(wanted, Math.ceil(window.left / PART)));
    window.left -= requests;
    // The others may return what they have not used, so nobody may consider the quota used up.
    const left = Math.max(window.left, isOfOthers(window, by) ? 1 : 0);
    const share = { requests, left, endsInMs: window.endsAt - this.#now() };
    if (requests > 0) {
      window.holders.set(by, share);
      const keys = this.#keysOf.get(by) ?? new Set();
      this.#keysOf.set(by, keys.add(keyId));
    }
    return share;
  }

  async #recall(keyId: string, window: LentWindow, by: Borrower): Promise<void> {
    const others = [...window.holders.keys()].filter((holder) => holder !== by);
    await Promise.all(others.map((holder) => this.#returnUnused(keyId, window, holder)));
    window.recall = undefined;
  }

  async #returnUnused(keyId: string, window: LentWindow, holder: Borrower): Promise<void> {
    const share = window.holders.get(holder);
    const unused = await holder.returnUnused(keyId).catch(() => 0);
    // A share that it took meanwhile, of what others returned, may not be among these.
    if (window.holders.get(holder) === share) window.holders.delete(holder);
    window.left += unused;
  }
}

function isOfOthers({ holders }: LentWindow, by: Borrower): boolean {
  return holders.size > (holders.has(by) ? 1 : 0);
}
