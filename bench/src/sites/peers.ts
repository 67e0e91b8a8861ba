import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { SiteFile } from '../../../packages/site/src/site/site-files.ts';
import { BenchError } from '../failure.ts';
import { PACKAGES, type PublishedDocument } from './documents.ts';
import type { Operation } from './operations.ts';

/** A page that another project makes of a document, as its documentation teaches. */
export interface Peer {
  readonly name: PeerName;
  readonly label: string;
  /** The files of its page, the page itself at `/`. `folder`: an empty one for its work. */
  make(document: PublishedDocument, folder: string): SiteFile[];
  /** Where it shows an operation. */
  addressOf(operation: Operation): string;
}

export type PeerName = 'redoc' | 'scalar';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** How long Redoc may take for a document, in milliseconds. */
const REDOC_TIMEOUT_MS = 180_000;

export const PEERS: readonly Peer[] = [
  {
    name: 'redoc',
    label: 'Redoc, prebuilt',
    make: (document, folder) => {
      const [input, output] = [`${folder}/${document.fileName}`, `${folder}/redoc.html`];
      writeFileSync(input, document.bytes);
      const args = [`${PACKAGES}/.bin/redocly`, 'build-docs', input, '--output', output];
      const { status, stderr } = spawnSync(process.execPath, args, {
        ...{ cwd: folder, encoding: 'utf8', timeout: REDOC_TIMEOUT_MS },
        env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
      });
      if (status !== 0) throw new BenchError(`Redoc failed on ${document.label}: ${stderr}`);
      // Its script is on a host of its own. Here the page's host has it.
      const page = readFileSync(output, 'utf8').replace(REDOC_HOST, '/');
      const script = readFileSync(`${PACKAGES}/@redocly/cli/lib/chunks/redoc.standalone.js`);
      return [
        { path: '/', type: HTML, content: page },
        { path: '/redoc.standalone.js', type: SCRIPT, content: script, immutable: true },
      ];
    },
    addressOf: ({ tag, operationId }) => `/#/${slug(tag)}/${operationId.toLowerCase()}`,
  },
  {
    name: 'scalar',
    label: 'Scalar',
    make: ({ fileName, bytes }) => {
      const json = fileName.endsWith('.json');
      const type = json ? 'application/json' : 'application/yaml';
      const script = readFileSync(`${PACKAGES}/@scalar/api-reference/dist/browser/standalone.js`);
      return [
        { path: '/', type: HTML, content: scalarPage(`/${fileName}`) },
        { path: '/standalone.js', type: SCRIPT, content: script, immutable: true },
        { path: `/${fileName}`, type, content: bytes },
      ];
    },
    addressOf: ({ tag, method, path }) => `/#tag/${slug(tag)}/${method}${path}`,
  },
];

const REDOC_HOST = /https:\/\/cdn\.redocly\.com\/redoc\/v[0-9.]+\/bundles\//g;

/** From https://scalar.com/products/api-references/integrations/html-js. Fonts are on a host of its own. */
const scalarPage = (url: string) => `<!doctype html>
<html>
<head>
<title>API Reference</title>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
</head>
<body>
<div id="app"></div>
<script src="/standalone.js"></script>
<script>Scalar.createApiReference('#app', { url: '${url}', withDefaultFonts: false })</script>
</body>
</html>
`;

/** How both write a tag in an address. */
function slug(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
