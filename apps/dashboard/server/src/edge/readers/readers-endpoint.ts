import {
  FEEDBACK_PATH,
  READERS_PATH,
  SEARCH_OUTCOMES,
  STATUS_CLASSES,
  THANKS_ID,
} from '@petstore/site/site/readers/readers-format.ts';
import type { EdgeRequest } from '../http/edge-request.ts';
import { isOfOwnPage } from '../http/own-page.ts';
import { type EdgeResponse, textResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';
import type { SiteCache } from '../sites/site-cache.ts';
import type { Site } from '../sites/site-source.ts';
import { type Rate, tokenBuckets } from '../token-buckets.ts';
import { addressIn } from '../versions/site-editions.ts';
import { agentNames } from './agents.ts';
import type { ReaderCounts } from './reader-counts.ts';
import { searchName, sentenceText } from './reader-texts.ts';
import { countedPath, hasPage } from './reading.ts';
import { readerHeaders } from './visitor.ts';

/** A search of 200 characters, each of twelve bytes in a form, with room. */
const MAX_EVENT_BYTES = 4_000;

/** A sentence of 500 of these. */
const MAX_FEEDBACK_BYTES = 8_000;

/** Bodies that are on their way: clients may take their time. */
const MAX_READING = 500;

/** What scripts of pages tell: of one client, and of all readers of a site. */
const EVENTS_OF_CLIENT: Rate = { burst: 60, perSecond: 2 };
const EVENTS_OF_SITE: Rate = { burst: 2_000, perSecond: 1_000 };

/** Answers to "Was this page helpful?": many readers may share an address. */
const FEEDBACK_OF_CLIENT: Rate = { burst: 10, perSecond: 0.1 };
const FEEDBACK_OF_SITE: Rate = { burst: 60, perSecond: 1 };
/** Sentences: fewer in a day than are kept of it, so that one client does not keep out those of all others. */
const SENTENCES_OF_CLIENT: Rate = { burst: 5, perSecond: 1 / 3_600 };

const ALLOW = ['Allow', 'POST'];

interface ReaderRequest {
  readonly request: EdgeRequest;
  readonly site: Site;
  /** Headers of every response. */
  readonly always: Headers;
  /** Another host is the site's own, or this one is asked without TLS. */
  readonly isRedirected: boolean;
}

type ReaderEndpoint = (asked: ReaderRequest) => Promise<EdgeResponse> | EdgeResponse | undefined;

/**
 * What the pages of a site tell, by path: nothing is answered but that it arrived. Each returns undefined where the site
 * does not count: then the request is one for a file. Rejects as the cache does.
 */
export function readerEndpoints(
  cache: SiteCache,
  counts: ReaderCounts,
  now: () => number = () => performance.now(),
): ReadonlyMap<string, ReaderEndpoint> {
  const eventsOfClients = tokenBuckets(EVENTS_OF_CLIENT, now);
  const eventsOfSites = tokenBuckets(EVENTS_OF_SITE, now);
  const feedbackOfClients = tokenBuckets(FEEDBACK_OF_CLIENT, now);
  const feedbackOfSites = tokenBuckets(FEEDBACK_OF_SITE, now);
  const sentencesOfClients = tokenBuckets(SENTENCES_OF_CLIENT, now);
  const agentOf = agentNames();
  let reading = 0;

  /** The fields of a form; otherwise the response that refuses it. */
  const readForm = async (
    { request, always }: ReaderRequest,
    maxBytes: number,
  ): Promise<URLSearchParams | EdgeResponse> => {
    if (reading === MAX_READING) return busy(always);
    reading += 1;
    try {
      const body = await request.readBody(maxBytes);
      return body
        ? new URLSearchParams(body.toString())
        : textResponse(413, `At most ${maxBytes} bytes.`, always);
    } finally {
      reading -= 1;
    }
  };

  const takeEvent = async (asked: ReaderRequest): Promise<EdgeResponse> => {
    const { request, site, always } = asked;
    const form = await readForm(asked, MAX_EVENT_BYTES);
    if (!(form instanceof URLSearchParams)) return form;
    const headers = readerHeaders(request.headers);
    const isCounted =
      !headers.isExcluded && !site.isPreview && agentOf(headers.userAgent) === undefined;
    if (!isCounted) return done(always);
    const { projectId } = site;
    const page = pageOf(site, form.get('page'));
    switch (form.get('event')) {
      case 'search': {
        const found = SEARCH_OUTCOMES.find((outcome) => outcome === form.get('found'));
        if (!found) return invalid(always);
        const name = searchName(form.get('query') ?? '');
        counts.count(projectId, 'search', name, found);
        return done(always);
      }
      case 'view':
        if (!hasPage(await cache.manifest(site.artifactHash), page)) return invalid(always);
        counts.count(projectId, 'view', countedPath(site, page));
        return done(always);
      case 'try': {
        const status = STATUS_CLASSES.find((one) => one === form.get('status'));
        const manifest = await cache.manifest(site.artifactHash);
        if (!status || !hasPage(manifest, page)) return invalid(always);
        counts.count(projectId, 'try', countedPath(site, page), status);
        return done(always);
      }
      default:
        return invalid(always);
    }
  };

  const takeFeedback = async (asked: ReaderRequest): Promise<EdgeResponse> => {
    const { request, site, always } = asked;
    const form = await readForm(asked, MAX_FEEDBACK_BYTES);
    if (!(form instanceof URLSearchParams)) return form;
    const helpful = form.get('helpful');
    const page = form.get('page') ?? '';
    const isFeedback = helpful === 'yes' || helpful === 'no';
    if (!isFeedback || !hasPage(await cache.manifest(site.artifactHash), page))
      return invalid(always);
    if (!site.isPreview) {
      const name = countedPath(site, page);
      const text = sentenceText(form.get('sentence') ?? '');
      const client = text === '' ? undefined : request.client();
      if (client !== undefined && !sentencesOfClients.take(`${site.projectId} ${client}`))
        return textResponse(429, 'Too many comments from your network. Try again later.', always);
      // The script sends the sentence behind the answer, which was counted.
      if (form.get('only') !== 'sentence') counts.count(site.projectId, 'helpful', name, helpful);
      if (text !== '')
        counts.addSentence(site.projectId, { page: name, isHelpful: helpful === 'yes', text });
    }
    if (!request.headers.accept?.includes('text/html')) return done(always);
    const to = `${addressIn(site.base, page)}#${THANKS_ID}`;
    return textResponse(303, undefined, [...always, 'Location', to]);
  };

  const endpoint =
    (
      take: (asked: ReaderRequest) => Promise<EdgeResponse>,
      isAllowed: (site: Site, client: string | undefined) => boolean,
    ): ReaderEndpoint =>
    (asked) => {
      const { request, site, always, isRedirected } = asked;
      if (!site.countsReaders || isRedirected) return undefined;
      if (request.method !== 'POST') return textResponse(405, undefined, [...always, ...ALLOW]);
      if (!isOfOwnPage(request))
        return textResponse(
          403,
          'Only pages of this site may send requests to this address.',
          always,
        );
      return isAllowed(site, request.client()) ? take(asked) : tooMany(always);
    };

  return new Map([
    [
      READERS_PATH,
      endpoint(
        takeEvent,
        ({ projectId }, client) =>
          (client === undefined || eventsOfClients.take(`${projectId} ${client}`)) &&
          eventsOfSites.take(projectId),
      ),
    ],
    [
      FEEDBACK_PATH,
      endpoint(
        takeFeedback,
        ({ projectId }, client) =>
          (client === undefined || feedbackOfClients.take(`${projectId} ${client}`)) &&
          feedbackOfSites.take(projectId),
      ),
    ],
  ]);
}

export type ReaderEndpoints = ReturnType<typeof readerEndpoints>;

/** The path on its own site of a page that a script names as it is in the address bar. */
function pageOf({ base }: Site, shown: string | null): string {
  if (shown === null) return '';
  try {
    const path = decodeURIComponent(shown);
    if (base === undefined) return path;
    if (path === base) return '/';
    return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
  } catch {
    return '';
  }
}

const done = (always: Headers): EdgeResponse => ({
  status: 204,
  headers: ['Cache-Control', 'no-store', ...always],
  content: '',
});

const invalid = (always: Headers) =>
  textResponse(400, 'The form is not valid: a field is missing or has an unknown value.', always);

const tooMany = (always: Headers) =>
  textResponse(429, 'Too many requests. Try again in a minute.', [...always, 'Retry-After', '60']);

const busy = (always: Headers) =>
  textResponse(503, 'The server is receiving too many requests. Try again in a second.', [
    ...always,
    'Retry-After',
    '1',
  ]);
