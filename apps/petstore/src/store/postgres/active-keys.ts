import type { KeyHash } from '../../keys/key.ts';

/** How old an answer about a key may be when nobody can tell of a revocation, in milliseconds. */
const TRUST_MS = 500;

/** Keys remembered at most. */
const MAX_KEYS = 10_000;

/**
 * Keys that were active when the database was asked. An entry is as fresh as the later of two
 * moments: when the database was asked for it, and when the listener was last known to have heard of
 * every revocation until then. After TRUST_MS the database is asked again, so a revocation counts
 * within that time whatever happens to the listener. Times are those of performance.now().
 *
 * Only what is active is kept: a key that was just made must work at once.
 */
export class ActiveKeys {
  readonly #askedAt = new Map<KeyHash, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #drops = 0;

  has(hash: KeyHash): boolean {
    const askedAt = this.#askedAt.get(hash);
    if (askedAt === undefined) return false;
    return performance.now() - Math.max(askedAt, this.#confirmedAt) <= TRUST_MS;
  }

  /**
   * To be called before the database is asked about a key; what it returns is called when the key
   * turned out to be active. A revocation heard of in between makes the answer old.
   */
  asking(hash: KeyHash): () => void {
    const askedAt = performance.now();
    const drops = this.#drops;
    return () => {
      if (drops !== this.#drops) return;
      if (this.#askedAt.size >= MAX_KEYS) this.#askedAt.clear();
      this.#askedAt.set(hash, askedAt);
    };
  }

  /** Every revocation before this moment was heard of. */
  confirm(moment: number): void {
    this.#confirmedAt = moment;
  }

  /** A key was revoked, or one may have been while nobody listened. */
  drop(): void {
    this.#drops++;
    this.#askedAt.clear();
  }
}
