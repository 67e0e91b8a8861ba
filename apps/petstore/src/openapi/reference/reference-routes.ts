import { readFileSync } from 'node:fs';
import type { FastifyPluginCallback } from 'fastify';
import type { BaseUrls } from '../../addresses.ts';
import { nothingHere } from '../../http/api-error.ts';
import { type OpenApiDocument, toJson, writtenDaily } from '../document.ts';
import { Asset } from './asset.ts';
import { type Html, html, PAGE_HEADERS, scriptJson } from './html.ts';
import { referenceDocument, withoutPanel } from './reference-document.ts';
import { scalarScript } from './scalar-script.ts';

/** For what has its version in its name. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ASK_AGAIN = 'no-cache';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

interface ReferenceDeps {
  readonly baseUrls: () => BaseUrls;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The reference: for people, with a panel to try each operation. */
export const referenceRoutes: FastifyPluginCallback<ReferenceDeps> = (app, deps, done) => {
  const options = { schema: { hide: true } };
  const start = new Asset(JAVASCRIPT, read('start.js'));
  const style = new Asset('text/css; charset=utf-8', read('reference.css'));
  const daily = writtenDaily(app, deps);
  const document = daily(
    (today) => new Asset('application/json', toJson(referenceDocument(today))),
  );
  const settings = daily(settingsOf);

  app.get('/', options, (_request, reply) => {
    reply.redirect('/reference', 302);
  });

  app.get('/reference', options, async (_request, reply) => {
    const scalar = await scalarScript();
    const names = {
      scalar: `/reference/scalar-${scalar.version}.js`,
      start: `/reference/start-${start.version}.js`,
      style: `/reference/style-${style.version}.css`,
    };
    const servers = Object.values(deps.baseUrls()).map((url) => new URL(url).origin);
    return reply
      .headers({
        ...PAGE_HEADERS,
        'content-security-policy': [
          "default-src 'none'",
          "script-src 'self'",
          // Scalar writes its styles into the page.
          "style-src 'self' 'unsafe-inline'",
          `connect-src 'self' ${servers.join(' ')}`,
          "img-src 'self' data:",
          "font-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ].join('; '),
      })
      .send(page(names, settings()).text);
  });

  app.get<{ Params: { file: string } }>('/reference/:file', options, async (request, reply) => {
    const { file } = request.params;
    if (file === 'openapi.json') return document().send(request, reply, ASK_AGAIN);
    const assets = new Map([
      ['scalar', await scalarScript()],
      ['start', start],
      ['style', style],
    ]);
    const [, name = '', version] = /^(\w+)-([0-9a-f]{16})\.(?:js|css)$/.exec(file) ?? [];
    const asset = assets.get(name);
    if (!asset) throw nothingHere();
    // A page that was open during an update may ask for the version before.
    return asset.send(request, reply, version === asset.version ? FOR_EVER : ASK_AGAIN);
  });

  done();
};

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

/** What start.js has to know. */
function settingsOf(document: OpenApiDocument): object {
  return {
    documentUrl: '/reference/openapi.json',
    withoutPanel: withoutPanel(document),
    apiPath: '/v1',
  };
}

function page(names: { scalar: string; start: string; style: string }, settings: object): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Reference of the Petstore API, with a panel to try it.">
<title>Petstore API</title>
<link rel="stylesheet" href="${names.style}">
<script type="application/json" id="settings">${scriptJson(settings)}</script>
<script src="${names.scalar}" defer></script>
<script src="${names.start}" defer></script>
</head>
<body>
<header class="bar">
<a href="/reference"><strong>Petstore</strong></a>
<a href="/errors">Errors</a>
<a class="wide" href="/v1/openapi.json">OpenAPI</a>
<label><input type="checkbox" id="remember">Remember my key here</label>
</header>
<div id="reference"></div>
<noscript><p>The reference needs JavaScript. The same is in the
<a href="/v1/openapi.yaml">OpenAPI document</a>, and in short in <a href="/llms.txt">llms.txt</a>.</p></noscript>
</body>
</html>
`;
}
