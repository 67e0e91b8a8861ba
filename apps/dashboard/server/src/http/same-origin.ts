import type { FastifyRequest } from 'fastify';
import { forbidden } from './api-error.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a change that a page of another origin asks for with the visitor's cookie. Browsers say where a
 * request comes from in Sec-Fetch-Site or, the older ones, in Origin. `isStrict`: a request that says
 * neither is refused too, since browsers always do; without it such a request passes, for programs that
 * sign in.
 */
export function refuseForeignOrigin(
  { method, headers, protocol, host }: FastifyRequest,
  dashboard: string,
  { isStrict }: { isStrict: boolean },
): void {
  if (SAFE.has(method)) return;
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn =
    origin === undefined
      ? site === 'same-origin' || (site === undefined && !isStrict)
      : origin === dashboard || origin === `${protocol}://${host}`;
  if (!isOwn) {
    throw forbidden(
      'This request comes from a page of another origin. Programs use an API token instead.',
    );
  }
}
