import { invalidRequest } from '../api-error.ts';
import { zoneOf } from './hostname.ts';

const WWW = 'www.';

/** The other half of a pair: `www.example.com` of `example.com`, and the other way round; undefined: it has none. */
export function otherHalf(hostname: string): string | undefined {
  const zone = zoneOf(hostname);
  if (hostname === zone) return WWW + zone;
  return hostname === WWW + zone ? zone : undefined;
}

/** The names of a pair, the one that was asked for first. Throws ApiError `invalid_request` where it has no other half. */
export function pairOf(hostname: string): readonly [string, string] {
  const other = otherHalf(hostname);
  if (other !== undefined) return [hostname, other];
  throw invalidRequest(
    `pair must be left out for ${hostname}: only a domain's own name and its www. are a pair, such as example.com and www.example.com.`,
  );
}
