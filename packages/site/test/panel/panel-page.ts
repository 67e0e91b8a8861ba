import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { rolldown } from 'rolldown';
import { operationDataScript } from '../../src/reference/operation-data.ts';
import type { OperationData } from '../../src/request/operation-data.ts';
import { sitePolicy } from '../../src/site/policy.ts';

const BROWSER = new URL('../../browser/', import.meta.url);

const bundles = new Map<string, Promise<string>>();

/** A script of a site, as it is sent to browsers. */
export function bundle(file: string): Promise<string> {
  const made =
    bundles.get(file) ??
    rolldown({ input: new URL(file, BROWSER).pathname }).then(async (build) => {
      const { output } = await build.generate({ format: 'esm', minify: true });
      return output[0].code;
    });
  bundles.set(file, made);
  return made;
}

export const style = (file: string) => readFileSync(new URL(file, BROWSER), 'utf8');

/** A server on a free port of this machine; ends with the test. */
export async function listen(t: Ending, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface PageOptions {
  /** Of the policy's `connect-src`. */
  readonly origins?: readonly string[];
  /** More elements of the head. */
  readonly head?: string;
}

const COLORS = `:root{color-scheme:light dark;--paper:light-dark(#fff,#0f1116);--raised:light-dark(#f6f7f9,#171a21);
--line:light-dark(#e5e7ec,#272b35);--ink:light-dark(#171a21,#eceef2);--soft:light-dark(#535a69,#a4abba);
--accent:light-dark(#0a58ca,#7ab0ff);--sans:system-ui,sans-serif;--mono:monospace}
body{background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans)}`;

/** A site of one page, which has the panel of an operation; paths besides it are answered by `api`. */
export function serveSite(
  t: Ending,
  data: OperationData,
  { origins = [], head = '' }: PageOptions = {},
  api?: RequestListener,
): Promise<string> {
  const page = () => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Test</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/_assets/panel.css"><link rel="stylesheet" href="/_assets/colors.css">${head}
<script type="module" src="/_assets/start.js"></script></head><body><main><h1>An operation</h1>
<button type="button" class="ref-try">Try it</button>${operationDataScript(data).text}</main></body></html>`;
  const start = `import { openPanel } from './panel.js';
const button = document.querySelector('.ref-try'); button.addEventListener('click', () => openPanel(button));`;
  const files: Record<string, () => string | Promise<string>> = {
    '/': page,
    '/_assets/start.js': () => start,
    '/_assets/panel.js': () => bundle('panel/panel.ts'),
    '/_assets/panel.css': () => style('styles/panel.css'),
    '/_assets/colors.css': () => COLORS,
    '/_assets/oauth-callback.html': () => style('oauth-callback.html'),
    '/_assets/oauth-callback.js': () => bundle('oauth-callback.ts'),
  };
  return listen(t, async (request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const file = files[path];
    if (file === undefined) return api ? api(request, response) : response.writeHead(404).end();
    const [, type = 'html'] = /\.(\w+)$/.exec(path) ?? [];
    const types: Record<string, string> = {
      js: 'text/javascript',
      css: 'text/css',
      html: 'text/html',
    };
    response.setHeader('content-type', types[type] ?? 'text/html');
    response.setHeader('content-security-policy', sitePolicy(origins));
    response.end(await file());
  });
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
