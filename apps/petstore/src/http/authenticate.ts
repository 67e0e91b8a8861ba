import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Environment } from '../config.ts';
import { type ActiveKey, hashKey, isWellFormedKey } from '../keys/key.ts';
import type { KeyUsage } from '../keys/key-usage.ts';
import type { KeyStore } from '../store/store.ts';
import { ApiError } from './api-error.ts';
import { countHeader } from './raw-headers.ts';
import type { ShortWay } from './short-way.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that the request came with; there behind `authenticate`. */
    apiKey: ActiveKey;
  }
}

/** RFC 6750, section 2.1. The scheme is compared without case (RFC 9110, section 11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Lets a request pass only with an active key of this environment, else 401 (RFC 6750, section 3).
 *
 * The store is asked at every request, unless nobody has committed anything since it was asked last;
 * so a revoked key is refused from the next request on, whichever process revoked it. What is looked
 * up is the key's SHA-256: how long the look-up takes depends on a digest that a guesser can neither
 * choose nor see, and the key itself is never compared.
 */
export function authenticate(
  keys: KeyStore,
  environment: Environment,
  known: ShortWay,
  usage: KeyUsage,
  now: () => number,
): onRequestHookHandler {
  return (request, _reply, done) => {
    const admit = (key: ActiveKey | undefined) => {
      const at = now();
      if (!key || key.expiresAt <= at) return done(invalidToken());
      usage.note(key.id, at);
      request.apiKey = key;
      done();
    };
    try {
      const presented = presentedKey(request);
      const { authorization = '' } = request.headers;
      const knownKey = known.keyOf(authorization);
      if (knownKey) return admit(knownKey);
      if (!isWellFormedKey(presented, environment)) return admit(undefined);
      const revision = known.revision();
      const decide = (key: ActiveKey | undefined) => {
        if (key) known.rememberCredentials(authorization, key, revision);
        admit(key);
      };
      const answer = keys.findActive(hashKey(presented));
      if (answer instanceof Promise) answer.then(decide, done);
      else decide(answer);
    } catch (error) {
      done(error as Error);
    }
  };
}

function presentedKey(request: FastifyRequest): string {
  const { authorization } = request.headers;
  if (!authorization) {
    throw unauthorized('An API key is required: send Authorization: Bearer <API_KEY>.');
  }
  if (countHeader(request.raw.rawHeaders, 'authorization') > 1) {
    throw unauthorized('Send one Authorization header, not several.');
  }
  const match = BEARER.exec(authorization);
  if (!match?.[1]) {
    throw unauthorized('The Authorization header must read: Bearer <API_KEY>.');
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
