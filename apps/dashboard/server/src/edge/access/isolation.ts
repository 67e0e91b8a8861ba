import type { EdgeRequest } from '../http/edge-request.ts';
import type { EdgeResponse } from '../http/response.ts';

const OPENER_POLICY = 'Cross-Origin-Opener-Policy';

/** Pages set this header themselves. On all other responses it keeps other origins from telling them from pages. */
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
 * Whether a page of another origin loads this response as a subresource or in a frame, by its Fetch Metadata. Browsers
 * send the session cookie then, too, where both hosts share a registrable domain, as the hosts of all projects may. So
 * the cookie is ignored. A reader who follows a link navigates the whole window, which is allowed.
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
