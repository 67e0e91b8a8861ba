import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { entityTag, matchesStrongly, matchesWeakly } from '@petstore/http/entity-tags.ts';
import { ApiError } from '@petstore/http/errors.ts';
import { TYPES } from '@petstore/site/site/site-files.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Coding } from '../deploys/artifact.ts';
import { acceptedCodings } from '../edge/http/content-coding.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  // The preview of the page on which readers of a private site sign in.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The prefixes of the UI's addresses (`apps/dashboard/web/src/router.tsx`). */
const PAGES = [
  '',
  'account',
  'confirm-email',
  'd',
  'forgotten-password',
  'installation',
  'invitations',
  'new',
  'projects',
  'reset-password',
  'sign-in',
  'sign-up',
  'site-access',
];

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

/** Media types of Vite's output, by the ending of its name. */
const TYPE_OF: Record<string, string> = {
  '.html': TYPES.html,
  '.js': TYPES.javascript,
  '.css': TYPES.css,
  '.svg': TYPES.svg,
  '.json': TYPES.json,
  '.txt': TYPES.text,
};

/** The suffix of each coding of a file: `compressFiles` writes them beside it. */
const ENDINGS: Record<Coding | 'identity', string> = { identity: '', br: '.br', gzip: '.gz' };

/** Files that Vite names by their content. */
const HASHED = '/assets/';

interface Representation {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A file of the web UI in memory. */
class WebFile {
  readonly #path: string;
  readonly #representations: Map<string, Representation>;

  /** `representations`: the file in each coding that it has; `identity` is one of them. */
  constructor(path: string, representations: Map<string, Representation>) {
    this.#path = path;
    this.#representations = representations;
  }

  /** Sends the smallest representation that the client accepts, or 304 where the client has it. */
  send({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const accepted = acceptedCodings(headers['accept-encoding'] ?? '');
    const coding = accepted.find((name) => this.#representations.has(name)) ?? 'identity';
    const { bytes, etag } = this.#representations.get(coding) as Representation;
    reply.headers({
      'content-type': TYPE_OF[extname(this.#path)] ?? 'application/octet-stream',
      'cache-control': this.#path.startsWith(HASHED)
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
      vary: 'accept-encoding',
      etag,
    });
    const { 'if-match': wanted, 'if-none-match': known } = headers;
    if (wanted !== undefined && !matchesStrongly(wanted, etag)) {
      throw new ApiError(
        'precondition_failed',
        'If-Match does not match the current ETag. Get the file again.',
      );
    }
    if (known !== undefined && reply.statusCode === 200 && matchesWeakly(known, etag))
      return reply.code(304).send();
    if (coding !== 'identity') reply.header('content-encoding', coding);
    return reply.send(bytes);
  }
}

/** All files of a build's folder, by the path at which each is served. */
async function readWebFiles(folder: string): Promise<Map<string, WebFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name))}`);
  const files = new Map<string, WebFile>();
  for (const path of paths.filter((name) => !/\.(?:br|gz)$/.test(name))) {
    const representations = new Map<string, Representation>();
    for (const [coding, ending] of Object.entries(ENDINGS)) {
      if (!paths.includes(path + ending)) continue;
      const bytes = await readFile(join(folder, path + ending));
      representations.set(coding, { bytes, etag: entityTag(bytes) });
    }
    files.set(path, new WebFile(path, representations));
  }
  return files;
}
