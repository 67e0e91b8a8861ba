import type { EdgeRequest, RequestTarget } from '../http/edge-request.ts';
import type { FoundResource } from '../sites/site-files.ts';
import type { Site } from '../sites/site-source.ts';
import { agentNames, BROWSERS, OTHER_PROGRAMS } from './agents.ts';
import type { ReaderCounts } from './reader-counts.ts';
import { pathName } from './reader-texts.ts';
import { countedPath, type Reading } from './reading.ts';
import { referringPage, sourceOf } from './referrer.ts';
import { isNavigation, type ReaderHeaders, readerHeaders } from './visitor.ts';

/** Counts the requests of readers: a look at a field for each, and some look-ups in maps where a page is read. */
export class ReaderRequestCounter {
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
    if (headers.isExcluded) return;
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
    if (headers.isExcluded || this.#agentOf(headers.userAgent) !== undefined) return;
    if (!isNavigation(headers, isSecure)) return;
    if (headers.fetchDest === undefined && headers.referer === undefined) return;
    const path = pathName(countedPath(site, target.path));
    const lead = referringPage(headers.referer, target.host, site.origin);
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
