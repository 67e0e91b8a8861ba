import type { Config } from '../config.ts';

type Headers = Readonly<Record<string, string>>;

/** A year, in seconds: the least that the preload lists of browsers require. */
const HSTS_MAX_AGE_SECONDS = 31_536_000;

/**
 * The security headers of every response, after OWASP's REST Security Cheat Sheet. Those that only matter to pages are
 * left out, since the pages set them themselves.
 *
 * `Strict-Transport-Security` is sent where the public address is https alone: the service speaks plain
 * HTTP to the proxy in front of it and can't see how a request reached the proxy, and over plain HTTP the
 * header must not be sent (RFC 6797, section 7.2). It speaks for its own host, not for those below.
 */
export function securityHeaders({ environment, baseUrl, stagingBaseUrl }: Config): Headers {
  const publicUrl = environment === 'production' ? baseUrl : stagingBaseUrl;
  return {
    'x-content-type-options': 'nosniff',
    ...(publicUrl?.startsWith('https:') && {
      'strict-transport-security': `max-age=${HSTS_MAX_AGE_SECONDS}`,
    }),
  };
}
