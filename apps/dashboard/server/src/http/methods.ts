import { methodNotAllowed } from '@petstore/http/methods.ts';
import type { FastifyInstance } from 'fastify';

/**
 * Gives each of the API's paths a 405 for every method that it has no route for, with `Allow` (RFC 9110, section
 * 15.5.6). It comes before the body is read, since the method is wrong whatever the body says. Call it before the first
 * route is added.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/')) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
  });
  app.addHook('onRequest', async ({ routeOptions, method, url }) => {
    if (routeOptions.url?.startsWith('/api/')) return;
    // Decoded as the router does, which has refused invalid escapes already.
    const path = decodeURI(url.split('?', 1)[0] ?? '');
    // No path contains a NUL.
    if (path.includes('\0')) return;
    for (const [pattern, methods] of methodsByPath) {
      if (!isOfPattern(path, pattern)) continue;
      throw methodNotAllowed(method, methods);
    }
  });
}

/** The longest parameter in a path; a longer one matches no route. */
export const MAX_PARAMETER_LENGTH = 300;

/** Whether a path is one of a route's, such as `/api/projects/:slug`. */
function isOfPattern(path: string, pattern: string): boolean {
  const segments = path.split('/');
  const parts = pattern.split('/');
  return (
    segments.length === parts.length &&
    segments.every((segment, at) =>
      parts[at]?.startsWith(':') ? segment.length <= MAX_PARAMETER_LENGTH : segment === parts[at],
    )
  );
}
