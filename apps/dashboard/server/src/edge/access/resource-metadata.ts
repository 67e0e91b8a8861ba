import type { EdgeRequest } from '../http/edge-request.ts';
import { type EdgeResponse, textResponse } from '../http/response.ts';
import { describedResource } from './paths.ts';
import type { SiteAccess } from './site-access.ts';

/**
 * How programs get in (RFC 9728, section 2). There is no authorization server: tokens come from the dashboard, or from
 * whoever signs them.
 */
export function resourceMetadata(
  { method }: EdgeRequest,
  path: string,
  { origin, name }: SiteAccess,
): EdgeResponse {
  if (method !== 'GET' && method !== 'HEAD')
    return textResponse(405, undefined, ['Allow', 'GET, HEAD']);
  const content = Buffer.from(
    JSON.stringify({
      resource: origin + (describedResource(path) ?? ''),
      resource_name: name,
      bearer_methods_supported: ['header'],
      scopes_supported: ['read'],
    }),
  );
  return {
    status: 200,
    headers: [
      ...['Content-Type', 'application/json', 'X-Content-Type-Options', 'nosniff'],
      ...['Cache-Control', 'no-store', 'X-Robots-Tag', 'noindex'],
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}
