import type { Manifest } from '../../deploys/artifact.ts';
import type { EdgeRequest, RequestTarget } from '../http/edge-request.ts';
import type { ServedFile } from '../sites/file-headers.ts';
import { fileAt, isMarkdown, isPage } from '../sites/manifest-paths.ts';
import type { FoundResource } from '../sites/site-files.ts';
import type { Site } from '../sites/site-source.ts';
import { agentNames, BROWSERS, OTHER_PROGRAMS } from './agents.ts';
import type { ReaderCounts } from './reader-counts.ts';
import { leadOf, sourceOf } from './referrer.ts';
import { isNavigation, type ReaderHeaders, readerHeaders } from './visitor.ts';

/** What is counted where a file is read. */
export interface Reading {
  readonly kind: 'page' | 'markdown' | 'llms';
  /** The path of the page on its site, with the prefix of its version. */
  readonly name: string;
}

/** Of a file that is served with 200; undefined for all that nobody reads, such as scripts and images. */
export function readingOf(site: Site, { path, entry }: ServedFile): Reading | undefined {
  if (!site.countsReaders || site.isPreview) return undefined;
  if (path === '/llms.txt' || path === '/llms-full.txt') return { kind: 'llms', name: path };
  if (isMarkdown(entry)) return { kind: 'markdown', name: path };
  return isShownPage(path) && isPage(entry)
    ? { kind: 'page', name: countedPath(site, path) }
    : undefined;
}

/** Pages below these paths are parts of others. */
const isShownPage = (path: string) => !path.startsWith('/_');

/** A path with the prefix of its version, so that all names of a site add up. */
export function countedPath({ base, only }: Site, path: string): string {
  const prefix = base ?? (only ? `/${only.name}` : '');
  return prefix !== '' && path === '/' ? prefix : prefix + path;
}

/** Whether a site has a page at a path that a script names. */
export function hasPage(manifest: Manifest, path: string): boolean {
  const entry = fileAt(manifest, path);
  return entry !== undefined && isPage(entry) && isShownPage(path);
}

/** Counts the requests of readers: a look at a field for each, and some look-ups in maps where a page is read. */
export class RequestsOfReaders {
  readonly #counts: ReaderCounts;
  readonly #agentOf = agentNames();

  constructor(counts: ReaderCounts) {
    this.#counts = counts;
  }

  /** Counts a response with a file that has a `reading`. */
  read(
    reading: Reading,
    { projectId, origin }: Site,
    host: string,
    /** Over TLS. */
    isSecure: boolean,
    headers: ReaderHeaders,
  ): void {
    if (headers.isLeftOut) return;
    const agent = this.#agentOf(headers.userAgent);
    if (agent !== undefined || reading.kind !== 'page') {
      this.#counts.count(projectId, 'agent', agent ?? BROWSERS, reading.kind);
      return;
    }
    if (isNavigation(headers, isSecure)) {
      this.#counts.count(projectId, 'view', reading.name);
      const source = sourceOf(headers.referer, host, origin);
      if (source !== undefined) this.#counts.count(projectId, 'source', source);
    } else if (headers.fetchDest === undefined && headers.accept !== 'text/html') {
      // It names itself a browser, and does not ask as one.
      this.#counts.count(projectId, 'agent', OTHER_PROGRAMS, reading.kind);
    }
  }

  /** Counts a path without a page that a person was led to. Guesses of programs come without any of this. */
  missed(site: Site, target: RequestTarget, isSecure: boolean, headers: ReaderHeaders): void {
    if (headers.isLeftOut || this.#agentOf(headers.userAgent) !== undefined) return;
    if (!isNavigation(headers, isSecure)) return;
    if (headers.fetchDest === undefined && headers.referer === undefined) return;
    // Not what stands nowhere in an address bar.
    const path = /\p{Cc}/u.test(target.path) ? '' : countedPath(site, target.path);
    const lead = leadOf(headers.referer, target.host, site.origin);
    this.#counts.count(site.projectId, 'missing', path, lead);
  }

  /** Counts a response to a request that the fast path did not answer. One line in the way of each. */
  respond(request: EdgeRequest, target: RequestTarget, site: Site, found: FoundResource): void {
    const file = found.kind === 'file' ? found.file : undefined;
    const isMissing = found.kind === 'notFound' || file?.status === 404;
    if (!isMissing && file?.reading === undefined) return;
    if (!site.countsReaders || site.isPreview || request.method !== 'GET') return;
    const { headers, serverName } = request;
    // A download that goes on.
    if (headers.range !== undefined) return;
    const whole = site.whole ?? site;
    const isSecure = serverName !== undefined;
    const reader = readerHeaders(headers);
    if (file?.reading) this.read(file.reading, whole, target.host, isSecure, reader);
    else this.missed(whole, target, isSecure, reader);
  }
}
