import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CHANGED_MEANWHILE } from '../refusal.ts';
import { ApiError } from './api-error.ts';
import { headerLines, type TextEncoding } from './service-response.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What is behind a key may be kept by its client alone, and only to be asked about again. */
const CACHE_CONTROL = 'private, no-cache';

/** The lines that every such answer has. */
const CONSTANT_LINES = headerLines(['content-type', JSON_TYPE, 'cache-control', CACHE_CONTROL]);

/** A finished answer to a GET, with what tells it from an earlier one. */
export interface Representation {
  /** JSON text. */
  readonly body: string;
  readonly encoding: TextEncoding;
  /** A strong entity tag (RFC 9110, section 8.8.3), quotes included. */
  readonly etag: string;
  /** The `Link` header, where there is one. */
  readonly link: string | undefined;
  /** All headers that belong to the answer, as lines of its head. */
  readonly lines: string;
}

/** Tags an answer. The link counts: a page whose successor has just come is another answer. */
export function tagged(body: string, link?: string): Representation {
  const digest = hash('sha256', link === undefined ? body : link + body, 'base64url');
  const etag = `"${digest.slice(0, 22)}"`;
  const bytes = Buffer.byteLength(body);
  const encoding = bytes === body.length ? 'latin1' : 'utf8';
  let lines = `${CONSTANT_LINES}content-length: ${bytes}\r\netag: ${etag}\r\n`;
  if (link !== undefined) lines += headerLines(['link', link]);
  return { body, encoding, etag, link, lines };
}

/** Answers a GET, or with 304 when the client has the same answer already (RFC 9110, section 13.1.2). */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, link }: Representation,
): FastifyReply {
  reply.header('etag', etag);
  reply.header('cache-control', CACHE_CONTROL);
  if (link !== undefined) reply.header('link', link);
  const known = request.headers['if-none-match'];
  if (known !== undefined && matches(known, etag)) return reply.code(304).send();
  return reply.header('content-type', JSON_TYPE).send(body);
}

/** Answers with what was just made. `address`: where things of its kind are found. */
export function sendMade(
  reply: FastifyReply,
  { id, json, address }: { id: bigint; json: string; address: string },
): FastifyReply {
  return reply
    .code(201)
    .header('location', `${address}/${id}`)
    .header('content-type', JSON_TYPE)
    .send(json);
}

/** Answers with a representation that was just changed or made; its tag is there for what follows. */
export function sendChanged(reply: FastifyReply, json: string): FastifyReply {
  return reply
    .header('etag', tagged(json).etag)
    .header('cache-control', CACHE_CONTROL)
    .header('content-type', JSON_TYPE)
    .send(json);
}

/**
 * What `If-Match` (RFC 9110, section 13.1.1) asks of a write: undefined for nothing more than that
 * there be something, otherwise the JSON text that must still be there when it is written. `read` gives
 * what is there now; where nothing is, the write finds that out by itself. Throws ApiError
 * `precondition_failed` when the header names something else.
 */
export async function expectedByClient(
  request: FastifyRequest,
  read: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  const condition = request.headers['if-match'];
  if (condition === undefined || condition.trim() === '*') return undefined;
  const json = await read();
  if (json === undefined) return undefined;
  const { etag } = tagged(json);
  // The strong comparison: a weak tag never matches.
  if (condition.split(',').some((candidate) => candidate.trim() === etag)) return json;
  throw new ApiError('precondition_failed', CHANGED_MEANWHILE);
}

/** The weak comparison that `If-None-Match` asks for: `W/` makes no difference. */
export function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
