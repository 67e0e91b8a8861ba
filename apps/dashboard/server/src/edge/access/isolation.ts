import type { EdgeRequest } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';

const OPENER_POLICY = 'Cross-Origin-Opener-Policy';

/** Pages have this one by themselves, so that no page of another origin can tell a page from what is none. */
const OPENER = [OPENER_POLICY, 'same-origin-allow-popups'] as const;

/** No page of another origin shows it, or learns how large it is. */
const RESOURCE = ['Cross-Origin-Resource-Policy', 'same-origin'] as const;

/** A response of a private site: pages of other origins learn nothing of it, not even whether it is there. */
export function isolated(response: EdgeResponse): EdgeResponse {
  const { headers } = response;
  const opener = headers.includes(OPENER_POLICY) ? [] : OPENER;
  return { ...response, headers: [...headers, ...opener, ...RESOURCE] };
}

/**
 * Whether a page of another origin loads something into itself, as browsers say. They send the cookie along where both
 * hosts are below the same domain, which those of all projects may be: so it counts for nothing. Who follows a link from
 * there comes by a navigation of the whole window.
 */
export function isLoadedFromElsewhere({ headers }: Pick<EdgeRequest, 'headers'>): boolean {
  const {
    'sec-fetch-site': from = 'none',
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  } = headers;
  if (from === 'same-origin' || from === 'none') return false;
  return mode !== 'navigate' || dest !== 'document';
}
