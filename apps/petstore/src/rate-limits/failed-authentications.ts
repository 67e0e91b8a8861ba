import type { ApiError } from '@petstore/http/errors.ts';
import { clientNetwork } from '@petstore/http/networks.ts';
import { rateLimited } from '../http/api-error.ts';
import type { KeyHash } from '../keys/key.ts';

const WINDOW_MS = 60_000;

/** Networks remembered at most; the one that failed longest ago leaves. */
const MAX_NETWORKS = 10_000;

/** Keys remembered as good at most; the one that was found so longest ago leaves. */
const MAX_GOOD_KEYS = 10_000;

interface Failures {
  count: number;
  readonly endsAt: number;
}

/**
 * Makes guessing keys slow: an address that has failed too often in a minute is refused, and the store
 * is not asked, until that minute is over. A key that was good when the store was asked last is let
 * through to it all the same, so that a guesser does not lock out clients behind the same address.
 */
export class FailedAuthentications {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #networks = new Map<string, Failures>();
  readonly #goodKeys = new Set<KeyHash>();

  /** `perMinute`: failures after which an address is refused. `now`: a clock in milliseconds. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** What a request with this key is refused with before the store is asked; undefined where it may be. */
  refusal(address: string, key: KeyHash): ApiError | undefined {
    return this.#goodKeys.has(key) ? undefined : this.#refusal(clientNetwork(address));
  }

  /** Counts a failure, and gives the error to answer with: the failure's own, or 429 of those that are too many. */
  failed(address: string, error: ApiError, key?: KeyHash): ApiError {
    if (key !== undefined) this.#goodKeys.delete(key);
    const network = clientNetwork(address);
    const refusal = this.#refusal(network);
    if (refusal) return refusal;
    const known = this.#networks.get(network);
    const now = this.#now();
    const failures = known && known.endsAt > now ? known : { count: 0, endsAt: now + WINDOW_MS };
    failures.count++;
    // To the end of the map, whose first entry is then the one that failed longest ago.
    this.#networks.delete(network);
    this.#networks.set(network, failures);
    dropOldest(this.#networks, MAX_NETWORKS);
    return error;
  }

  /** The store said that a key is good. */
  succeeded(key: KeyHash): void {
    // To the end of the set, as above.
    this.#goodKeys.delete(key);
    this.#goodKeys.add(key);
    dropOldest(this.#goodKeys, MAX_GOOD_KEYS);
  }

  #refusal(network: string): ApiError | undefined {
    const failures = this.#networks.get(network);
    if (!failures || failures.count < this.#perMinute) return undefined;
    const leftMs = failures.endsAt - this.#now();
    if (leftMs <= 0) return undefined;
    return rateLimited(
      'Too many requests from this address came without a valid API key.',
      Math.ceil(leftMs / 1_000),
    );
  }
}

function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): void {
  if (entries.size <= max) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
