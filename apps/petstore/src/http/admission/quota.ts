import type { RateLimiter, Verdict } from '../../rate-limits/rate-limiter.ts';
import { rateLimited } from '../api-error.ts';
import { headerLines, type ServiceResponse } from '../service-response.ts';
import type { Check } from './check.ts';

/**
 * Limits the requests of a key to its quota, and adds the state of the quota to each response. It comes as soon as the
 * key is known, so that requests that end in an error count as well. Throws ApiError `rate_limited`.
 */
export function checkQuota(limiter: RateLimiter): Check {
  const policyLine = headerLines(['ratelimit-policy', limiter.policy]);
  const obey = (response: ServiceResponse, { header, retryAfterSeconds }: Verdict) => {
    response.addLines(`${policyLine}ratelimit: ${header}\r\n`);
    if (retryAfterSeconds === undefined) return;
    throw rateLimited('The API key has used up its requests.', retryAfterSeconds);
  };
  return ({ key, response }) => {
    const verdict = limiter.admit(key.id);
    if (verdict instanceof Promise) return verdict.then((verdict) => obey(response, verdict));
    return obey(response, verdict);
  };
}
