import type { FastifyRequest } from 'fastify';
import { forbidden } from '../api-error.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The names of a machine for itself. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses unsafe requests from pages of other origins (CSRF). Browsers name the origin of a request in Sec-Fetch-Site
 * or, older ones, in Origin. `dashboard`: the dashboard's own origin. `isStrict`: a request with neither header is
 * refused too, since browsers always send one. Otherwise such a request passes, for programs that sign in.
 */
export function refuseCrossOrigin(
  { method, headers, protocol, host }: FastifyRequest,
  dashboard: string,
  { isStrict }: { isStrict: boolean },
): void {
  if (SAFE.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    origin === undefined
      ? site === 'same-origin' || (site === undefined && !isStrict)
      : origin === dashboard ||
        (origin === `${protocol}://${host}` && isReachableAs(host, dashboard));
  if (!isOwn) {
    throw forbidden(
      "This request comes from a page of another origin. Programs use an API token instead. If it is the dashboard's own page, DASHBOARD_PUBLIC_URL must be the address that the browser shows.",
    );
  }
}

/**
 * Whether a visitor can have reached the dashboard under the host of the request. A dashboard on loopback is reached by
 * a loopback name. Any other name belongs to a foreign page that was made to resolve to this machine (DNS rebinding).
 */
function isReachableAs(host: string, dashboard: string): boolean {
  const isForItself = LOOPBACK.test(new URL(dashboard).hostname);
  return !isForItself || LOOPBACK.test(host.replace(/:\d+$/, ''));
}
