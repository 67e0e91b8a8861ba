import { countHeader } from '@petstore/http/request-head.ts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Environment } from '../config.ts';
import { type ActiveKey, hashKey, isWellFormedKey, type KeyHash } from '../keys/key.ts';
import type { KeyUsage } from '../keys/key-usage.ts';
import type { FailedAuthentications } from '../rate-limits/failed-authentications.ts';
import type { KeyStore } from '../store/store.ts';
import { ApiError } from './api-error.ts';
import type { ShortWay } from './short-way.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the request came with; there behind `authenticate`. */
    apiKey: ActiveKey;
  }
}

/** RFC 6750, section 2.1. The scheme is compared without case (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

export interface AuthenticateDeps {
  readonly keys: KeyStore;
  readonly environment: Environment;
  readonly shortWay: ShortWay;
  readonly usage: KeyUsage;
  /** Undefined where an address may fail as often as it likes. */
  readonly failures: FailedAuthentications | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Lets a request pass only with an active key of this environment, else 401 (RFC 6750, section 3).
 *
 * An address that has failed too often is answered with 429, see FailedAuthentications.
 *
 * The store is asked at every request, unless nobody has committed anything since it was asked last;
 * so a revoked key is refused from the next request on, whichever process revoked it. What is looked
 * up is the key's SHA-256: how long the look-up takes depends on a digest that a guesser can neither
 * choose nor see, and the key itself is never compared.
 */
export function authenticate({
  keys,
  environment,
  shortWay,
  failures,
  usage,
  now,
}: AuthenticateDeps): onRequestHookHandler {
  return (request, _reply, done) => {
    const refuse = (error: ApiError, hash?: KeyHash) =>
      done(failures ? failures.failed(request.ip, error, hash) : error);
    const admit = (key: ActiveKey, hash?: KeyHash) => {
      const at = now();
      if (key.expiresAt <= at) return refuse(invalidToken(), hash);
      usage.note(key.id, at);
      request.apiKey = key;
      done();
    };
    try {
      const presented = presentedKey(request);
      if (presented instanceof ApiError) return refuse(presented);
      const { authorization = '' } = request.headers;
      const knownKey = shortWay.keyOf(authorization);
      if (knownKey) return admit(knownKey);
      if (!isWellFormedKey(presented, environment)) return refuse(invalidToken());
      const hash = hashKey(presented);
      const refusal = failures?.refusal(request.ip, hash);
      if (refusal) return done(refusal);
      // As of the question for the key, so before the store is asked.
      const { revision } = shortWay;
      const decide = (key: ActiveKey | undefined) => {
        if (!key) return refuse(invalidToken(), hash);
        failures?.succeeded(hash);
        shortWay.rememberCredentials(authorization, key, revision);
        admit(key, hash);
      };
      const answer = keys.findActive(hash);
      if (answer instanceof Promise) answer.then(decide, done);
      else decide(answer);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** The key, or the 401 of a request that has none in the one place for it. */
function presentedKey(request: FastifyRequest): string | ApiError {
  const { authorization } = request.headers;
  if (!authorization) {
    return unauthorized('An API key is required: send Authorization: Bearer <API_KEY>.');
  }
  if (countHeader(request.raw.rawHeaders, 'authorization') > 1) {
    return unauthorized('Send one Authorization header, not several.');
  }
  const match = BEARER.exec(authorization);
  if (!match?.[1]) {
    return unauthorized('The Authorization header must read: Bearer <API_KEY>.');
  }
  return match[1];
}

function unauthorized(message: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

function invalidToken(): ApiError {
  return new ApiError(
    'unauthorized',
    'The API key is not valid here, has expired, or was revoked.',
    {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    },
  );
}
