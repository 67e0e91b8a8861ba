import type { IncomingMessage } from 'node:http';
import { ApiError } from '@petstore/http/errors.ts';
import { countHeader } from '@petstore/http/request-head.ts';
import type { Environment } from '../../config.ts';
import {
  type ActiveKey,
  hashKey,
  isWellFormedKey,
  isWellFormedSandboxKey,
  type KeyHash,
} from '../../keys/key.ts';
import type { FailedAuthentications } from '../../rate-limits/failed-authentications.ts';
import type { Awaitable } from '../../store/contract/awaitable.ts';
import type { KeyStore } from '../../store/contract/key-store.ts';
import type { Changes } from '../../store/store.ts';

/** RFC 6750, section 2.1. The scheme is compared without case (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Credentials kept at most, and how long each may be to be kept. */
const MAX_KNOWN = 10_000;
const MAX_KNOWN_LENGTH = 100;

interface AuthenticationDeps {
  readonly keys: Pick<KeyStore, 'findUnrevoked'>;
  /** Finds the key of a sandbox by its hash. Undefined where there are no sandboxes. */
  readonly sandboxKey: ((hash: KeyHash) => Awaitable<ActiveKey | undefined>) | undefined;
  /**
   * Undefined turns the fast path off: the store cannot tell of changes, or every request shall show in logs or traces.
   */
  readonly changes: Changes | undefined;
  readonly environment: Environment;
  /** Undefined where an address may fail as often as it likes. */
  readonly failures: FailedAuthentications | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A key that was found active at a revision of the store. */
interface KnownKey {
  readonly hash: KeyHash;
  key: ActiveKey;
  revision: number | undefined;
}

/**
 * Finds the active key that a request came with.
 *
 * The store is asked at every request, unless nobody has committed anything since it was asked last; so a revoked key
 * is refused from the next request on, whichever process revoked it. It looks up the key's SHA-256, so the time of a
 * look-up depends on a digest that a guesser can neither choose nor see. The key itself is never compared.
 */
export class Authentication {
  readonly #deps: AuthenticationDeps;
  /** Keys by the Authorization header that had them. */
  readonly #known = new Map<string, KnownKey>();

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
  }

  /** Whether this Authorization header was valid once. It may not be valid any more: see knownKey. */
  isKnown(authorization: string): boolean {
    return this.#known.has(authorization);
  }

  /**
   * The active key of an Authorization header that was valid once. Undefined where it is not any more, and where only
   * keyOf can say: the store cannot tell of changes, or not answer at once.
   */
  knownKey(authorization: string): ActiveKey | undefined {
    const known = this.#known.get(authorization);
    if (!known) return undefined;
    const revision = this.#deps.changes?.revision();
    if (revision !== known.revision) {
      const key = this.#stillActive(known.hash);
      if (!key) {
        this.#known.delete(authorization);
        return undefined;
      }
      known.key = key;
      known.revision = revision;
    }
    return this.#hasExpired(known.key) ? undefined : known.key;
  }

  #stillActive(hash: KeyHash): ActiveKey | undefined {
    try {
      const key = this.#deps.keys.findUnrevoked(hash);
      return key instanceof Promise ? undefined : key;
    } catch {
      // Whoever asks the store next meets the problem, and reports it.
      return undefined;
    }
  }

  /**
   * The active key of a request. Throws, or rejects with, ApiError `unauthorized` (RFC 6750, section 3), or
   * `rate_limited` for an address that has failed too often: see FailedAuthentications. `address`: gives the
   * client's.
   */
  keyOf(request: IncomingMessage, address: () => string): ActiveKey | Promise<ActiveKey> {
    const { keys, sandboxKey, environment, failures } = this.#deps;
    const countedFailure = (error: ApiError, hash?: KeyHash) =>
      failures ? failures.failed(address(), error, hash) : error;
    const { authorization = '' } = request.headers;
    const problem = problemWith(request);
    if (problem) throw countedFailure(problem);
    const known = this.knownKey(authorization);
    if (known) return known;
    const presented = BEARER.exec(authorization)?.[1] ?? '';
    const isOfSandbox = sandboxKey !== undefined && isWellFormedSandboxKey(presented);
    if (!isOfSandbox && !isWellFormedKey(presented, environment))
      throw countedFailure(invalidToken());
    const hash = hashKey(presented);
    const blocked = failures?.errorBeforeLookup(address(), hash);
    if (blocked) throw blocked;
    // From before the store is asked for the key.
    const revision = this.#deps.changes?.revision();
    const decide = (key: ActiveKey | undefined) => {
      if (!key) throw countedFailure(invalidToken(), hash);
      failures?.succeeded(hash);
      if (this.#hasExpired(key)) throw countedFailure(invalidToken(), hash);
      if (revision !== undefined) this.#keep(authorization, { hash, key, revision });
      return key;
    };
    const found = isOfSandbox ? sandboxKey(hash) : keys.findUnrevoked(hash);
    return found instanceof Promise ? found.then(decide) : decide(found);
  }

  /**
   * Keeps a key. Those of sandboxes are not kept: the fast path reads the service's own store, so their requests must go
   * through the router.
   */
  #keep(authorization: string, known: KnownKey): void {
    if (known.key.sandbox || authorization.length > MAX_KNOWN_LENGTH) return;
    this.#known.set(authorization, known);
    // The oldest goes; if it is in demand it comes back with the next request.
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN) this.#known.delete(oldest);
  }

  #hasExpired({ expiresAt }: ActiveKey): boolean {
    return expiresAt <= this.#deps.now();
  }
}

/** The 401 of a request without exactly one key in the right place. */
function problemWith({ headers: { authorization }, rawHeaders }: IncomingMessage) {
  if (!authorization) {
    return unauthorized('An API key is required: send Authorization: Bearer <API_KEY>.');
  }
  if (countHeader(rawHeaders, 'authorization') > 1) {
    return unauthorized('Send one Authorization header, not several.');
  }
  if (!BEARER.test(authorization)) {
    return unauthorized('The Authorization header must read: Bearer <API_KEY>.');
  }
  return undefined;
}

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** The 401 of a key that opens nothing. */
export function invalidToken(): ApiError {
  return new ApiError(
    'unauthorized',
    'The API key is not valid here, has expired, or was revoked.',
    { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  );
}
