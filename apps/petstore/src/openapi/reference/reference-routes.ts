import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { BaseUrls } from '../../addresses.ts';
import { pathNotFound } from '../../http/api-error.ts';
import { documentDerivatives, type OpenApiDocument } from '../document.ts';
import { Asset } from './asset.ts';
import type { MadeSite, WantedSite } from './site-thread.ts';
import { PAGE_HEADERS } from './text-page.ts';

/** For files whose name has their version. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ASK_AGAIN = 'no-cache';

/** The thread's file is beside this one, with the same ending: TypeScript in a checkout, JavaScript in the package. */
const SITE_THREAD = new URL(`./site-thread${extname(import.meta.filename)}`, import.meta.url);

interface ReferenceDeps {
  readonly baseUrls: () => BaseUrls;
  /** Where everyone finds the pages, for their preview images; undefined where it is not known. */
  readonly origin: string | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The reference: for people, with a panel to try each operation. */
export const referenceRoutes: FastifyPluginCallback<ReferenceDeps> = (app, deps, done) => {
  const options = { schema: { hide: true } };
  // Made with the first request for it: most processes never get one.
  const site = documentDerivatives(
    app,
    deps,
  )(async (today) =>
    servedSite(await makeSite({ document: presented(today), origin: deps.origin })),
  );

  app.get('/', options, (_request, reply) => {
    reply.redirect('/reference', 302);
  });

  const serve = async (request: FastifyRequest, reply: FastifyReply) =>
    (await site())(request, reply);
  for (const path of ['/reference', '/reference.md', '/favicon.svg']) app.get(path, options, serve);
  for (const folder of ['/reference', '/_assets', '/_site']) {
    app.get(`${folder}/*`, options, serve);
  }

  done();
};

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function servedSite({ files, contentSecurityPolicy }: MadeSite): Serve {
  const assets = new Map(
    files.map(({ path, type, content, immutable = false }) => [
      path,
      {
        asset: new Asset(type, Buffer.from(content)),
        isPage: type.startsWith('text/html'),
        immutable,
      },
    ]),
  );
  const named = new Map([...assets].map(([path, one]) => [withoutVersion(path), one]));
  return async (request, reply) => {
    const path = decodedPath(request.url);
    const current = assets.get(path);
    // A page that was open during an update may request a script of the version before.
    const name = withoutVersion(path);
    const found = current ?? (name === path ? undefined : named.get(name));
    if (!found) throw pathNotFound();
    const { asset, isPage } = found;
    const immutable = current?.immutable === true;
    if (isPage) {
      reply.headers({ ...PAGE_HEADERS, 'content-security-policy': contentSecurityPolicy });
    }
    await asset.send(request, reply, immutable ? FOR_EVER : ASK_AGAIN);
  };
}

/** `/_assets/site.js` for `/_assets/site-0123456789abcdef.js`. */
const withoutVersion = (path: string) =>
  path.replace(/^(\/_assets\/[\w-]+)-[0-9a-f]{16}(?=\.(?:js|css)$)/, '$1');

/** The path of a request target, percent-decoded; empty where it cannot be. */
function decodedPath(target: string): string {
  try {
    return decodeURIComponent(target.replace(/[?#].*$/s, ''));
  } catch {
    return '';
  }
}

async function makeSite(wanted: WantedSite): Promise<MadeSite> {
  const thread = new Worker(SITE_THREAD, { workerData: wanted });
  // A service that stops does not wait for this thread.
  thread.unref();
  const [site] = (await once(thread, 'message')) as [MadeSite];
  return site;
}

/** The document as the reference shows it, with links to this service's own pages and what its marks mean here. */
function presented(document: OpenApiDocument): OpenApiDocument {
  const description = `${document.info.description} Each error code has [a page of its own](/errors).`;
  const { paths = {} } = document;
  const list: OpenAPIV3_1.OperationObject | undefined = paths['/pets']?.get;
  // The one deprecated operation is replaced by this one.
  const successor = list
    ? `Use [${list.summary}](/reference/pets/${list.operationId}) with a \`status\` filter.`
    : '';
  return {
    ...document,
    info: { ...document.info, description },
    paths: mapMembers(paths, (item) =>
      mapMembers(item ?? {}, (operation) => withNotes(operation, successor)),
    ),
  };
}

/** What each stability means here. */
const PROMISES = {
  beta: '*Beta: it hardly changes any more.*',
  alpha: '*Alpha: it may still change.*',
  experimental: '*Experimental: it may change with any version.*',
};

interface Marked {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly 'x-stability'?: keyof typeof PROMISES;
}

function withNotes<T>(operation: T, successor: string): T {
  const { description, deprecated, 'x-stability': stability } = operation as Marked;
  const notes = [deprecated ? successor : '', stability ? PROMISES[stability] : '', description];
  return { ...operation, description: notes.filter(Boolean).join('\n\n') };
}

function mapMembers<T extends object>(object: T, map: (value: T[keyof T]) => T[keyof T]): T {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)])) as T;
}
