import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CHANGED_MEANWHILE } from '../refusal.ts';
import { ApiError } from './api-error.ts';
import { describeJson, type Made, respondMade } from './json-answers.ts';
import { answerTo, headerLines, type TextEncoding } from './service-response.ts';

/** What is behind a key may be kept by its client alone, and only to be asked about again. */
const CACHE_CONTROL = 'private, no-cache';

const CACHE_LINE = headerLines(['cache-control', CACHE_CONTROL]);

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
  const { encoding, lines: bodyLines } = describeJson(body);
  let lines = `${bodyLines}${CACHE_LINE}etag: ${etag}\r\n`;
  if (link !== undefined) lines += headerLines(['link', link]);
  return { body, encoding, etag, link, lines };
}

/** Answers a GET, or with 304 when the client has the same answer already (RFC 9110, section 13.1.2). */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): void {
  const { etag, link } = representation;
  const known = request.headers['if-none-match'];
  if (known === undefined || !matches(known, etag)) send(reply, representation);
  else
    reply
      .code(304)
      .headers({ etag, 'cache-control': CACHE_CONTROL, ...(link && { link }) })
      .send();
}

/** Answers with what was just made. */
export function sendMade(reply: FastifyReply, made: Made): void {
  reply.hijack();
  respondMade(answerTo(reply), made);
}

/** Answers with a representation that was just changed or made; its tag is there for what follows. */
export function sendChanged(reply: FastifyReply, json: string): void {
  send(reply, tagged(json));
}

/** Sends what is finished past the framework, which would look at the body and each header again. */
function send(reply: FastifyReply, { lines, body, encoding }: Representation): void {
  reply.hijack();
  answerTo(reply).respond(200, lines, body, encoding);
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
