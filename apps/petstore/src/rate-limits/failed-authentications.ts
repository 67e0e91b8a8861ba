import type { ApiError } from '@petstore/http/errors.ts';
import { clientNetwork } from '@petstore/http/networks.ts';
import { rateLimited } from '../http/api-error.ts';
import type { KeyHash } from '../keys/key.ts';

const WINDOW_MS = 60_000;

/** The most networks remembered; the one that failed longest ago is forgotten first. */
const MAX_NETWORKS = 10_000;

/** The most keys remembered as valid; the one that was found so longest ago is forgotten first. */
const MAX_GOOD_KEYS = 10_000;

interface Failures {
  count: number;
  readonly endsAt: number;
}

/** The messages between the processes of one service: a failure of a network, or the store's result for a key. */
export type FailureEvent =
  | { readonly failed: string }
  | { readonly good: KeyHash }
  | { readonly bad: KeyHash };

/** The whole state at a moment, for a process that begins. */
export interface FailureState {
  readonly networks: readonly {
    readonly network: string;
    readonly count: number;
    readonly leftMs: number;
  }[];
  readonly goodKeys: readonly KeyHash[];
}

/**
 * Makes guessing keys slow: an address that has failed too often in a minute is refused, and the store is not asked,
 * until that minute is over. A key that the store last found valid is still looked up, so that a guesser does not lock
 * out clients behind the same address.
 *
 * Processes that serve one port tell each other of failures and good keys. A failure counts for all of them as soon as
 * they have heard of it, so while it is on its way a few more may be looked at.
 */
export class FailedAuthentications {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #networks = new Map<string, Failures>();
  readonly #goodKeys = new Set<KeyHash>();
  readonly #tell: (event: FailureEvent) => void;

  /**
   * `perMinute`: failures after which an address is refused. `now`: a clock in milliseconds. `tell`: lets other
   * processes know, whose own `hear` takes it.
   */
  constructor(
    perMinute: number,
    now: () => number,
    tell: (event: FailureEvent) => void = () => {},
  ) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#tell = tell;
  }

  /** Takes a message from another process. */
  hear(event: FailureEvent): void {
    if ('failed' in event) this.#count(event.failed);
    else if ('good' in event) this.#keepGood(event.good);
    else this.#goodKeys.delete(event.bad);
  }

  get state(): FailureState {
    const now = this.#now();
    return {
      networks: [...this.#networks]
        .filter(([, { endsAt }]) => endsAt > now)
        .map(([network, { count, endsAt }]) => ({ network, count, leftMs: endsAt - now })),
      goodKeys: [...this.#goodKeys],
    };
  }

  /** Continues from the state of another process. */
  adopt({ networks, goodKeys }: FailureState): void {
    const now = this.#now();
    for (const { network, count, leftMs } of networks) {
      this.#networks.set(network, { count, endsAt: now + leftMs });
    }
    for (const key of goodKeys) this.#keepGood(key);
  }

  /** The error of a request with this key before the store is asked; undefined where the store may be asked. */
  errorBeforeLookup(address: string, key: KeyHash): ApiError | undefined {
    return this.#goodKeys.has(key) ? undefined : this.#blocked(clientNetwork(address));
  }

  /** Counts a failure, and returns the error to respond with: the failure itself, or a 429 where there are too many. */
  failed(address: string, error: ApiError, key?: KeyHash): ApiError {
    if (key !== undefined && this.#goodKeys.delete(key)) this.#tell({ bad: key });
    const network = clientNetwork(address);
    const blocked = this.#blocked(network);
    if (blocked) return blocked;
    this.#count(network);
    this.#tell({ failed: network });
    return error;
  }

  /** The store found a key valid. */
  succeeded(key: KeyHash): void {
    if (!this.#goodKeys.has(key)) this.#tell({ good: key });
    this.#keepGood(key);
  }

  #count(network: string): void {
    const known = this.#networks.get(network);
    const now = this.#now();
    const failures = known && known.endsAt > now ? known : { count: 0, endsAt: now + WINDOW_MS };
    failures.count++;
    // To the end of the map, whose first entry is then the one that failed longest ago.
    this.#networks.delete(network);
    this.#networks.set(network, failures);
    dropOldest(this.#networks, MAX_NETWORKS);
  }

  #keepGood(key: KeyHash): void {
    // To the end of the set, as above.
    this.#goodKeys.delete(key);
    this.#goodKeys.add(key);
    dropOldest(this.#goodKeys, MAX_GOOD_KEYS);
  }

  /** The 429 of a network that has failed too often; undefined for any other. */
  #blocked(network: string): ApiError | undefined {
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
