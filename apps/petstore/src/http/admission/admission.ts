import type { onRequestHookHandler } from 'fastify';
import type { ActiveKey } from '../../keys/key.ts';
import type { KeyUsage } from '../../keys/key-usage.ts';
import type { QuotaDecision, RateLimiter } from '../../rate-limits/rate-limiter.ts';
import type { ResourceStore } from '../../store/store.ts';
import { rateLimited } from '../api-error.ts';
import { headerLines, responseOf, type ServiceResponse } from '../service-response.ts';
import type { Authentication } from './authentication.ts';
import type { Check, KeyedRequest } from './check.ts';
import { checkSunset } from './deprecation.ts';
import { checkScope } from './scope.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key of the request, set by admission. There is none where the route's config says that it is optional. */
    apiKey: ActiveKey;
    /** What the request reads and writes: the service's own store, or that of the key's sandbox. Set by admission. */
    store: ResourceStore;
  }
  interface FastifyContextConfig {
    /** Whether a request without an Authorization header passes, too. */
    isKeyOptional?: boolean;
  }
}

interface CheckDeps {
  readonly usage: KeyUsage;
  /** Undefined where keys have no limit. */
  readonly limiter: RateLimiter | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The checks of every request with an active key, in this order: behind the router and on the fast path. */
export function admissionChecks({ usage, limiter, now }: CheckDeps): Check {
  return inSequence([
    recordUse(usage, now),
    ...(limiter ? [checkQuota(limiter)] : []),
    checkSunset(now),
    checkScope,
  ]);
}

function inSequence(checks: readonly Check[]): Check {
  const runFrom = (first: number, request: KeyedRequest): void | Promise<void> => {
    for (let i = first; i < checks.length; i++) {
      const pending = checks[i]?.(request);
      if (pending) return pending.then(() => runFrom(i + 1, request));
    }
  };
  return (request) => runFrom(0, request);
}

/**
 * Lets a request reach the routes behind it only with an active key that passes the checks. `storeOf`: the store that a
 * key opens.
 */
export function admission(
  authentication: Authentication,
  check: Check,
  storeOf: (key: ActiveKey) => ResourceStore,
): onRequestHookHandler {
  return function admit(request, reply, done) {
    const enter = (key: ActiveKey) => {
      request.apiKey = key;
      request.store = storeOf(key);
      return check({ key, config: request.route.config, response: responseOf(reply) });
    };
    if (request.route.config.isKeyOptional && request.headers.authorization === undefined) {
      return done();
    }
    try {
      const key = authentication.keyOf(request.raw, () => request.ip);
      const pending = key instanceof Promise ? key.then(enter) : enter(key);
      if (pending) pending.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Records that a key was used, whatever becomes of the request. `now`: the clock, in milliseconds since 1970. */
function recordUse(usage: KeyUsage, now: () => number): Check {
  return ({ key }) => {
    // The store has no row for the key of a sandbox.
    if (!key.sandbox) usage.note(key.id, now());
  };
}

/**
 * Limits the requests of a key to its quota, and adds the state of the quota to each response. It comes as soon as the
 * key is known, so that requests that end in an error count as well. Throws ApiError `rate_limited`.
 */
function checkQuota(limiter: RateLimiter): Check {
  const policyLine = headerLines(['ratelimit-policy', limiter.policy]);
  const obey = (response: ServiceResponse, { header, retryAfterSeconds }: QuotaDecision) => {
    response.addLines(`${policyLine}ratelimit: ${header}\r\n`);
    if (retryAfterSeconds === undefined) return;
    throw rateLimited('The API key has used up its requests.', retryAfterSeconds);
  };
  return ({ key, response }) => {
    const decision = limiter.admit(key.id);
    if (decision instanceof Promise) return decision.then((decision) => obey(response, decision));
    return obey(response, decision);
  };
}
