import type { RateLimiter, Verdict } from '../../rate-limits/rate-limiter.ts';
import { rateLimited } from '../api-error.ts';
import { headerLines, type ServiceResponse } from '../service-response.ts';
import type { Check } from './check.ts';

/**
 * A key makes no more requests than its quota, and each response tells it where it stands. Comes as soon as
 * the key is known, so requests that end in an error count as well. Throws ApiError `rate_limited`.
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
