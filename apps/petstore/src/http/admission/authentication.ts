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

/**
 * Finds the active key that a request came with.
 *
 * The store is asked at every request, unless nobody has committed anything since it was asked last; so a revoked key
 * is refused from the next request on, whichever process revoked it. It looks up the key's SHA-256, so the time of a
 * look-up depends on a digest that a guesser can neither choose nor see. The key itself is never compared.
 */
export class Authentication {
  readonly #deps: AuthenticationDeps;
  /** Keys by the Authorization header that had them when the store was at `#revision`. */
  readonly #known = new Map<string, ActiveKey>();
  #revision: number | undefined;

  constructor(deps: AuthenticationDeps) {
    this.#deps = deps;
  }

  /** Whether this Authorization header was valid of late. It may not be valid any more: see knownKey. */
  isKnown(authorization: string): boolean {
    return this.#known.has(authorization);
  }

  /** The active key of an Authorization header, if nobody has committed anything since it was found valid. */
  knownKey(authorization: string): ActiveKey | undefined {
    const revision = this.#deps.changes?.revision();
    if (revision !== this.#revision) {
      this.#known.clear();
      this.#revision = revision;
    }
    const key = this.#known.get(authorization);
    return key && this.#hasExpired(key) ? undefined : key;
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
    // The revision from before the store is asked for the key.
    const revision = this.#revision;
    const decide = (key: ActiveKey | undefined) => {
      if (!key) throw countedFailure(invalidToken(), hash);
      failures?.succeeded(hash);
      if (this.#hasExpired(key)) throw countedFailure(invalidToken(), hash);
      this.#keep(authorization, key, revision);
      return key;
    };
    const found = isOfSandbox ? sandboxKey(hash) : keys.findUnrevoked(hash);
    return found instanceof Promise ? found.then(decide) : decide(found);
  }

  /**
   * Keeps a key until the next commit, unless there was one since `revision`. Keys of sandboxes are not kept: the fast
   * path reads the service's own store, so their requests must go through the router.
   */
  #keep(authorization: string, key: ActiveKey, revision: number | undefined): void {
    const isCurrent = revision !== undefined && revision === this.#revision;
    if (key.sandbox) return;
    const hasRoom = this.#known.size < MAX_KNOWN && authorization.length <= MAX_KNOWN_LENGTH;
    if (isCurrent && hasRoom) this.#known.set(authorization, key);
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
