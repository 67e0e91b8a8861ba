import type { onRequestHookHandler } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { answerTo, headerLines } from '../http/service-response.ts';
import type { RateLimiter, Verdict } from './rate-limiter.ts';

/**
 * Lets a key make no more requests than its quota, and tells it where it stands, on every answer: 429
 * beyond. Runs as soon as the key is known, so requests that end in an error count as well.
 */
export function limitRequests(limiter: RateLimiter): onRequestHookHandler {
  const policyLine = headerLines(['ratelimit-policy', limiter.policy]);
  return (request, reply, done) => {
    const obey = ({ header, retryAfterSeconds }: Verdict) => {
      answerTo(reply).addLines(`${policyLine}ratelimit: ${header}\r\n`);
      if (retryAfterSeconds === undefined) return done();
      done(rateLimited('The API key has used up its requests.', retryAfterSeconds));
    };
    try {
      const verdict = limiter.admit(request.apiKey.id);
      if (verdict instanceof Promise) verdict.then(obey, done);
      else obey(verdict);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** `reason`: a sentence; how long to wait is said behind it. */
export function rateLimited(reason: string, retryAfterSeconds: number): ApiError {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ApiError('rate_limited', `${reason} Try again in ${wait}.`, {
    headers: { 'retry-after': `${retryAfterSeconds}` },
  });
}
