import { methodNotAllowed } from '@petstore/http/methods.ts';
import { PathPatterns } from '@petstore/http/path-patterns.ts';
import type { FastifyInstance } from 'fastify';

/** The longest parameter in a path; a longer one matches no route. */
export const MAX_PARAMETER_LENGTH = 300;

/**
 * Gives each of the API's paths a 405 for every method that it has no route for, with `Allow` (RFC 9110, section
 * 15.5.6). It comes before the body is read, since the method is wrong whatever the body says. Call it before the first
 * route is added.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new PathPatterns(MAX_PARAMETER_LENGTH);
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    if (!url.startsWith('/api/')) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPath.set(url, methods);
    paths.add(url);
  });
  app.addHook('onRequest', async ({ routeOptions, method, url }) => {
    if (routeOptions.url?.startsWith('/api/')) return;
    const [path = ''] = url.split('?', 1);
    // No path contains a NUL.
    if (path.includes('%00')) return;
    const methods = paths.of(path).flatMap((each) => [...(methodsByPath.get(each) ?? [])]);
    if (methods.length > 0) throw methodNotAllowed(method, new Set(methods));
  });
}
