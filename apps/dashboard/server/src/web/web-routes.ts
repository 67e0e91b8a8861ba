import type { FastifyInstance } from 'fastify';
import { readWebFiles } from './web-files.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The prefixes of the UI's addresses (`apps/dashboard/web/src/router.tsx`). */
const PAGES = ['', 'account', 'd', 'invitations', 'new', 'projects', 'sign-in', 'sign-up'];

/**
 * Serves the web UI out of a build's folder: its files, and its page at the addresses that the browser has routes for.
 * At any other address a browser gets the page with a 404, which says that there is nothing. A program, such as one
 * that looks for metrics, gets the app's not-found response. Register it without a prefix.
 */
export async function webRoutes(
  app: FastifyInstance,
  { folder }: { readonly folder: string },
): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
  });
  const files = await readWebFiles(folder);
  const page = files.get('/index.html');
  if (!page) throw new Error(`${folder} has no index.html`);
  for (const [path, file] of files) {
    app.get(path, { schema: { hide: true } }, (request, reply) => file.send(request, reply));
  }
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    const { url, headers } = request;
    const [path = ''] = url.split('?');
    const [first = ''] = path.slice(1).split('/');
    const isPage = PAGES.includes(first);
    if (!isPage && NOT_FOR_READERS.test(path)) return reply.callNotFound();
    const accept = headers.accept ?? '*/*';
    const isReader = accept.includes('text/html') || (isPage && accept.includes('*/*'));
    if (!isReader) return reply.callNotFound();
    return page.send(request, reply.code(isPage ? 200 : 404));
  });
}

/** Paths for programs, which get no page. */
const NOT_FOR_READERS = /^\/(?:api|assets|metrics|\.well-known)(?:\/|$)|\.\w+$/;
