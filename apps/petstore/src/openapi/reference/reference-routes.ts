import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Html, html } from '@petstore/http/html.ts';
import {
  type ReferencePage,
  type ReferenceSettings,
  referencePage,
  referencePolicy,
  referenceStyle,
  rememberBox,
  startScript,
} from '@petstore/reference/page.ts';
import { panelSettings, referenceDocument } from '@petstore/reference/reference-document.ts';
import type { FastifyPluginCallback } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { BaseUrls } from '../../addresses.ts';
import { pathNotFound } from '../../http/api-error.ts';
import { documentDerivatives, type OpenApiDocument, toJson } from '../document.ts';
import { Asset } from './asset.ts';
import { PAGE_HEADERS } from './text-page.ts';

/** For files whose name has their version. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ASK_AGAIN = 'no-cache';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The thread's file is beside this one, with the same ending: TypeScript in a checkout, JavaScript in the package. */
const SCALAR_THREAD = new URL(`./scalar-thread${extname(import.meta.filename)}`, import.meta.url);

interface ReferenceDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The reference: for people, with a panel to try each operation. */
export const referenceRoutes: FastifyPluginCallback<ReferenceDeps> = (app, deps, done) => {
  const options = { schema: { hide: true } };
  const start = new Asset(JAVASCRIPT, startScript);
  const style = new Asset('text/css; charset=utf-8', referenceStyle);
  const daily = documentDerivatives(app, deps);
  const document = daily((today) => new Asset('application/json', toJson(presented(today))));
  const settings = daily(settingsOf);

  app.get('/', options, (_request, reply) => {
    reply.redirect('/reference', 302);
  });

  app.get('/reference', options, async (_request, reply) => {
    const scalar = await scalarAsset();
    const names = {
      scalar: `/reference/scalar-${scalar.version}.js`,
      start: `/reference/start-${start.version}.js`,
      style: `/reference/style-${style.version}.css`,
    };
    const servers = Object.values(deps.baseUrls()).map((url) => new URL(url).origin);
    return reply
      .headers({ ...PAGE_HEADERS, 'content-security-policy': referencePolicy(servers) })
      .send(page(names, await settings()).text);
  });

  app.get<{ Params: { file: string } }>('/reference/:file', options, async (request, reply) => {
    const { file } = request.params;
    if (file === 'openapi.json') return (await document()).send(request, reply, ASK_AGAIN);
    const assets = new Map([
      ['scalar', await scalarAsset()],
      ['start', start],
      ['style', style],
    ]);
    const [, name = '', version] = /^(\w+)-([0-9a-f]{16})\.(?:js|css)$/.exec(file) ?? [];
    const asset = assets.get(name);
    if (!asset) throw pathNotFound();
    // A page that was open during an update may request the version before.
    return asset.send(request, reply, version === asset.version ? FOR_EVER : ASK_AGAIN);
  });

  done();
};

let scalar: Promise<Asset> | undefined;

/** Loaded with the first request for it: most processes never get one. */
function scalarAsset(): Promise<Asset> {
  scalar ??= loadScalar().catch((error) => {
    // The next request tries again: a thread may fail to start when too many files are open.
    scalar = undefined;
    throw error;
  });
  return scalar;
}

async function loadScalar(): Promise<Asset> {
  const thread = new Worker(SCALAR_THREAD);
  // A service that stops does not wait for this thread.
  thread.unref();
  const [{ buffer, byteOffset, byteLength }] = (await once(thread, 'message')) as [
    Uint8Array<ArrayBuffer>,
  ];
  return new Asset(JAVASCRIPT, Buffer.from(buffer, byteOffset, byteLength));
}

/** The document as the reference shows it, with links to this service's own pages. */
function presented(document: OpenApiDocument): OpenApiDocument {
  const description = `${document.info.description} Each error code has [a page of its own](/errors).`;
  return referenceDocument(
    { ...document, info: { ...document.info, description } },
    {
      successor: successor(document),
      promises: PROMISES,
      // The panel sends what is shown, and the service takes no text for an id.
      largeInteger: (value) => Number(value % 1_000n),
    },
  );
}

/** What each stability means here. */
const PROMISES = {
  beta: '*Beta: it hardly changes any more.*',
  alpha: '*Alpha: it may still change.*',
  experimental: '*Experimental: it may change with any version.*',
};

/** Points to the successor of the one operation that is deprecated. */
function successor({ paths = {} }: OpenApiDocument): string {
  const list: OpenAPIV3_1.OperationObject | undefined = paths['/pets']?.get;
  return list ? `Use [${list.summary}](#tag/pets/GET/pets) with a \`status\` filter.` : '';
}

function settingsOf(document: OpenApiDocument): ReferenceSettings {
  return {
    title: 'Petstore',
    documentUrl: '/reference/openapi.json',
    ...panelSettings(document),
    rememberAs: 'petstore-remember-key',
    isFramed: false,
    isServedByApi: true,
  };
}

function page(assets: ReferencePage['assets'], settings: ReferenceSettings): Html {
  return referencePage({
    title: 'Petstore API',
    description: 'Reference of the Petstore API, with a panel to try it.',
    header: html`<header class="bar">
<a href="/reference"><strong>Petstore</strong></a>
<a href="/errors">Errors</a>
<a class="wide" href="/v1/openapi.json">OpenAPI</a>
${rememberBox}
</header>`,
    noScript: html`<p>The reference needs JavaScript. The same is in the
<a href="/v1/openapi.yaml">OpenAPI document</a>, and in short in <a href="/llms.txt">llms.txt</a>.</p>`,
    settings,
    assets,
  });
}
