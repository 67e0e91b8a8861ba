import { entityTag } from '@petstore/http/entity-tags.ts';
import { ApiError } from '@petstore/http/errors.ts';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { failedCondition, PRECONDITION_FAILED, type Precondition } from '../precondition.ts';
import type { ResourceStore } from '../store/store.ts';
import { notFound, pathId } from './api-error.ts';
import { describeJson } from './json-response.ts';
import { headerLines, responseOf, type TextEncoding } from './service-response.ts';

/** Only the client itself may store a response that needed a key, and it must revalidate it before each use. */
const CACHE_CONTROL = 'private, no-cache';

const CACHE_LINE = headerLines(['cache-control', CACHE_CONTROL]);

/** A finished response to a GET, with its entity tag. */
export interface Representation {
  /** JSON text. */
  readonly body: string;
  readonly encoding: TextEncoding;
  /** A strong entity tag (RFC 9110, section 8.8.3), quotes included. */
  readonly etag: string;
  /** The `Link` header, where there is one. */
  readonly link: string | undefined;
  /** All its headers, as lines of a head. */
  readonly lines: string;
}

/**
 * Gives a response its entity tag. The link counts: a page that now has a next page is a different response. So does
 * `query`, where the address is not all that was asked for.
 */
export function tagged(body: string, link?: string, query = ''): Representation {
  const etag = entityTag(link === undefined ? query + body : query + link + body);
  const { encoding, lines: bodyLines } = describeJson(body);
  let lines = `${bodyLines}${CACHE_LINE}etag: ${etag}\r\n`;
  if (link !== undefined) lines += headerLines(['link', link]);
  return { body, encoding, etag, link, lines };
}

/**
 * Responds to a GET or a QUERY: with 304 when the client has the same response already (RFC 9110, section 13.1.2).
 * Throws ApiError `precondition_failed` where `If-Match` does not match it (section 13.1.1).
 */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): void {
  const { etag, link } = representation;
  const precondition = preconditionOf(request);
  const failed = precondition && failedCondition(precondition, etag);
  if (failed === 'ifMatch') throw new ApiError('precondition_failed', PRECONDITION_FAILED.ifMatch);
  if (failed === undefined) send(reply, representation);
  else
    reply
      .code(304)
      .headers({ etag, 'cache-control': CACHE_CONTROL, ...(link && { link }) })
      .send();
}

/** Makes a representation of what a store returns: at once where that is not a promise. Throws what `make` throws. */
export function represent<T>(
  read: T | Promise<T>,
  make: (value: T) => Representation,
): Representation | Promise<Representation> {
  return read instanceof Promise ? read.then(make) : make(read);
}

/**
 * The `read` of the route of one thing, whose id `idOf` finds in the path's validated parameters. Throws ApiError
 * `not_found` where there is none. `noun`: the kind of thing.
 */
export function readOne<Params>(
  get: (id: bigint, store: ResourceStore) => string | undefined | Promise<string | undefined>,
  idOf: (params: Params) => unknown,
  noun: string,
) {
  return ({ params }: { params: Params }, store: ResourceStore) =>
    represent(get(pathId(idOf(params), noun), store), (json) => {
      if (json === undefined) throw notFound(noun);
      return tagged(json);
    });
}

/** Responds to a GET with what its route reads: see `read` of its config. */
export const sendRead: RouteHandlerMethod = (request, reply) => {
  const representation = request.route.config.read?.(request, request.store);
  const send = (representation: Representation) => sendTagged(request, reply, representation);
  return representation instanceof Promise
    ? representation.then(send)
    : representation && send(representation);
};

/** Responds with 200 and what was just changed, with its new entity tag. */
export function sendChanged(reply: FastifyReply, json: string): void {
  send(reply, tagged(json));
}

/** Sends a finished response past the framework, which would look at the body and each header again. */
function send(reply: FastifyReply, { lines, body, encoding }: Representation): void {
  reply.hijack();
  responseOf(reply).respond(200, lines, body, encoding);
}

/** The conditions of a request; undefined where it has none. */
export function preconditionOf({ headers }: FastifyRequest): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}
