import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { html } from '@petstore/http/html.ts';
import type { Manifest } from '../../deploys/artifact.ts';
import { startEdge } from '../../edge/edge-server.ts';
import type { EdgeRequest } from '../../edge/http/edge-request.ts';
import { type EdgeResponse, textResponse } from '../../edge/http/response.ts';
import type { SiteSource } from '../../edge/sites/site-source.ts';
import type { DevSite } from './dev-site.ts';
import { NO_BUILD, RELOAD_PATH, reloadTag } from './reload-tag.ts';

// The site of `dashboard dev`: the edge serves it as it serves all sites, from what was built last. What pages of this
// command alone load is answered before.

const HOST = '127.0.0.1';

/** The name that the edge knows: it serves none at an address. Names under it lead to this machine alone. */
const NAME = 'localhost';
const PROJECT = 'dev';

const EVENTS_PATH = '/_dev/events';

/** Between two lines that say nothing, in milliseconds: the edge closes connections on which nothing comes. */
const ALIVE_MS = 20_000;

/** A problem as the page shows it. */
export interface ShownProblem {
  /** `guides/start.md:12`; empty where it is the folder as a whole. */
  readonly place: string;
  readonly message: string;
}

export interface DevServer {
  /** `http://localhost:8090` */
  readonly origin: string;
  /** Serves a site in place of the one before. Pages that show another one load themselves anew. */
  show(site: DevSite): void;
  /** Shows what is wrong on all pages, over the last site that could be built; nothing hides it. */
  tell(problems: readonly ShownProblem[]): void;
  close(): Promise<void>;
}

/** Listens on a port; 0 picks a free one. Rejects with Node's error where it cannot. */
export async function startDevServer(wanted: number): Promise<DevServer> {
  let site: DevSite | undefined;
  let problems: readonly ShownProblem[] = [];
  let origin = '';
  const watchers = new Set<PassThrough>();
  const script = readFileSync(new URL('reload.js', import.meta.url));

  const state = () => `data: ${JSON.stringify({ build: site?.build ?? NO_BUILD, problems })}\n\n`;
  const tellAll = () => {
    for (const watcher of watchers) watcher.write(state());
  };
  const alive = setInterval(() => {
    for (const watcher of watchers) watcher.write(':\n\n');
  }, ALIVE_MS).unref();

  const events = (request: EdgeRequest): EdgeResponse => {
    const body = new PassThrough();
    body.write(state());
    watchers.add(body);
    request.onClose(() => watchers.delete(body));
    return { status: 200, headers: EVENT_HEADERS, content: '', body };
  };

  const answerFirst = (request: EdgeRequest): EdgeResponse | undefined => {
    const [path] = request.target.split('?', 1);
    const host = request.authority?.replace(/:\d*$/, '');
    // Who types the address that it listens on means this site.
    if (host === HOST) return textResponse(307, undefined, ['Location', origin + request.target]);
    // Pages of other names may not read it, wherever these lead.
    if (host !== NAME || request.method !== 'GET') return undefined;
    if (path === EVENTS_PATH) return events(request);
    if (path === RELOAD_PATH) return contentResponse(200, 'text/javascript', script);
    return site ? undefined : contentResponse(503, 'text/html', Buffer.from(WAITING));
  };

  const edge = await startEdge({
    ...{
      source: sourceOf(
        () => site,
        () => origin,
      ),
      host: HOST,
      port: wanted,
      log: SILENT,
      answerFirst,
    },
  });
  origin = `http://${NAME}:${edge.port}`;
  return {
    origin,
    show(next) {
      const before = site;
      site = next;
      problems = [];
      edge.invalidate([PROJECT]);
      before?.close();
      tellAll();
    },
    tell(found) {
      problems = found;
      tellAll();
    },
    async close() {
      clearInterval(alive);
      for (const watcher of watchers) watcher.destroy();
      await edge.close();
      site?.close();
    },
  };
}

const EVENT_HEADERS = [
  ...['Content-Type', 'text/event-stream; charset=utf-8'],
  ...['Cache-Control', 'no-store'],
];

function contentResponse(status: number, type: string, content: Buffer): EdgeResponse {
  return {
    status,
    headers: [
      ...['Content-Type', `${type}; charset=utf-8`],
      ...['Cache-Control', 'no-store'],
      ...['Content-Length', String(content.length)],
    ],
    content,
  };
}

/** In place of every page, until a site could be built. */
const WAITING = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Not built yet</title>
${reloadTag(NO_BUILD)}
</head>
<body><p>The site is not built yet.</p></body>
</html>
`.text;

function sourceOf(site: () => DevSite | undefined, origin: () => string): SiteSource {
  const manifestOf = (hash: string): Manifest | undefined => {
    const current = site();
    return current?.hash === hash ? current.manifest : undefined;
  };
  return {
    async findSite(host) {
      const current = site();
      if (!current || host !== NAME) return undefined;
      return {
        ...{ projectId: PROJECT, artifactHash: current.hash, origin: origin() },
        ...{ isPreview: false, isDraft: true, mcp: true, requestProxy: false },
        // The form is to be seen; nothing is stored.
        countsReaders: true,
      };
    },
    readManifest: async (hash) => manifestOf(hash),
    readBlob: async (hash) => site()?.read(hash),
    platformCertificateOf: () => undefined,
    findPlatformCertificate: async () => undefined,
    findServedCertificate: async () => undefined,
    findHttpChallenge: async () => undefined,
    findTlsChallenge: async () => undefined,
    // This process itself says what has changed.
    changesAfter: async () => ({ position: PROJECT, projectIds: [] }),
  };
}

/** Requests are not told in the terminal, which has what was built. A failure would be a defect. */
const SILENT = {
  isLevelEnabled: () => false,
  debug() {},
  info() {},
  warn: (details: object, message: string) => console.error(message, details),
  error: (details: object, message: string) => console.error(message, details),
};
