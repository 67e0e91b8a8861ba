import type { ActiveKey, KeyHash } from '../../keys/key.ts';

/** How long an entry is trusted while the listener hears nothing, in milliseconds. */
const TRUST_MS = 500;

/** Keys remembered at most. */
const MAX_KEYS = 10_000;

/**
 * Keys that were active when the database was asked. An entry is as fresh as the later of two moments: when the
 * database was asked for it, and when the listener was last known to have heard of every revocation until then. After
 * TRUST_MS the database is asked again, so a revocation counts within that time whatever happens to the listener. Times
 * are those of performance.now().
 *
 * Only active keys are kept: a key that was just created must work at once.
 */
export class ActiveKeys {
  readonly #known = new Map<KeyHash, { readonly key: ActiveKey; readonly queriedAt: number }>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #drops = 0;

  get(hash: KeyHash): ActiveKey | undefined {
    const known = this.#known.get(hash);
    if (!known) return undefined;
    const age = performance.now() - Math.max(known.queriedAt, this.#confirmedAt);
    return age <= TRUST_MS ? known.key : undefined;
  }

  /**
   * To be called before the database is asked about a key. Call the returned function with the key, if it is active. A
   * revocation that is heard of in between makes the entry stale, so it is not kept.
   */
  asking(hash: KeyHash): (key: ActiveKey) => void {
    const queriedAt = performance.now();
    const drops = this.#drops;
    return (key) => {
      if (drops !== this.#drops) return;
      if (this.#known.size >= MAX_KEYS) this.#known.clear();
      this.#known.set(hash, { key, queriedAt });
    };
  }

  /** Confirms that every revocation before this moment was heard of. */
  confirm(moment: number): void {
    this.#confirmedAt = moment;
  }

  /** A key was revoked, or one may have been while nobody listened. */
  drop(): void {
    this.#drops++;
    this.#known.clear();
  }
}
