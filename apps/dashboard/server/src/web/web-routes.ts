import { extname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';

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

/** What Vite names by its content. */
const HASHED = '/assets/';

/**
 * Serves the web UI out of a build's folder: its files, and its page at every other address that is not
 * the API's, because the browser knows the routes. Register it without a prefix; what it does not know
 * goes to the app's not-found handler.
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
  await app.register(fastifyStatic, {
    root: folder,
    // A route for each file: what is no file is for the route below.
    wildcard: false,
    index: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    preCompressed: true,
    cacheControl: false,
    // A server may ignore Range (RFC 9110, section 14.2), and no file here is long.
    acceptRanges: false,
    schemaHide: true,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(folder, HASHED));
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  app.get('/*', { schema: { hide: true } }, async (request, reply) => {
    if (!isForPage(request)) return reply.callNotFound();
    return reply.sendFile('index.html');
  });
}

/** Whether a reader's browser asks for a page, and not a program for a file or an answer. */
function isForPage({ url, headers }: FastifyRequest): boolean {
  const [path = ''] = url.split('?');
  if (path === '/api' || path.startsWith('/api/') || path.startsWith(HASHED)) return false;
  const accept = headers.accept ?? '*/*';
  return accept.includes('text/html') || (accept.includes('*/*') && extname(path) === '');
}
