import { ApiError } from '@petstore/http/errors.ts';
import {
  hasTwoContentTypes,
  headProblem,
  isFramedUnusually,
  TWO_CONTENT_TYPES,
} from '@petstore/http/request-head.ts';
import type { onRequestHookHandler, preParsingHookHandler } from 'fastify';
import { payloadTooLarge, unsupportedMediaType } from './api-error.ts';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from './limits.ts';

/**
 * The checks of every request, known path or not: its target is not too long, the end of its body is certain, and it
 * has one host. Node itself would refuse a missing Host, but with an empty body.
 */
export const checkHead: onRequestHookHandler = (request, reply, done) => {
  const { raw } = request;
  if (isFramedUnusually(raw)) reply.raw.shouldKeepAlive = false;
  if ((raw.url?.length ?? 0) > MAX_TARGET_BYTES) {
    const message = `The request target must be at most ${MAX_TARGET_BYTES} bytes long.`;
    return done(new ApiError('uri_too_long', message));
  }
  if (raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') {
    const headers = { connection: 'close' };
    return done(new ApiError('invalid_request', 'The request must be HTTP/1.1.', { headers }));
  }
  const problem = headProblem(raw, request.originalUrl);
  if (!problem) return done();
  const code = problem.status === 501 ? 'not_implemented' : 'invalid_request';
  done(new ApiError(code, problem.message));
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types of the body, the usual one first; `application/json` alone where none are named. */
    bodyTypes?: readonly string[];
    /** The body has 64-bit integers in objects or lists that are its members. */
    hasNestedIntegers?: boolean;
  }
}

/** The media types of a body where the route names none. */
export const JSON_ALONE = ['application/json'];

/** One of some media types, with no charset but UTF-8, which is JSON's only one (RFC 8259, section 8.1). */
function isAccepted(contentType: string, accepted: readonly string[]): boolean {
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  return (
    accepted.includes(mediaType.trim()) &&
    parameters.every((parameter) => {
      const [name, value] = parameter.split('=');
      return name?.trim() !== 'charset' || value?.trim().replaceAll('"', '') === 'utf-8';
    })
  );
}

/**
 * Checks the headers about the body before a byte of it is read: 413, then 400 and 415. A body of another kind is
 * refused unread. The body of a GET is dropped: it has no meaning (RFC 9110, section 9.3.1).
 */
export const checkBodyHeaders: preParsingHookHandler = (request, reply, payload, done) => {
  const { headers } = request;
  const isBodied =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
  if (!isBodied || request.method === 'GET' || request.method === 'HEAD')
    return done(null, payload);
  if (Number(headers['content-length']) > MAX_BODY_BYTES) {
    return done(payloadTooLarge(MAX_BODY_BYTES));
  }
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'identity') {
    const message = 'The body must not be compressed: send it without Content-Encoding.';
    // RFC 9110, section 12.5.3: the response tells which codings would do.
    return done(
      new ApiError('unsupported_media_type', message, {
        headers: { 'accept-encoding': 'identity' },
      }),
    );
  }
  if (hasTwoContentTypes(request.raw))
    return done(new ApiError('invalid_request', TWO_CONTENT_TYPES));
  const { bodyTypes = JSON_ALONE } = request.route.config;
  if (!isAccepted(headers['content-type'] ?? '', bodyTypes)) {
    return done(unsupportedMediaType(bodyTypes, request.method));
  }
  // RFC 9110, section 10.1.1: the client waits for this before it sends the body.
  if (headers.expect?.toLowerCase() === '100-continue' && request.raw.httpVersion === '1.1')
    reply.raw.writeContinue();
  done(null, payload);
};

/**
 * Whether a target cannot be one of this service's: it is not a path (`*`), or it ends in a slash and is not the root.
 */
export function cannotBePath(target: string): boolean {
  if (!target.startsWith('/')) return true;
  const query = target.indexOf('?');
  const end = (query < 0 ? target.length : query) - 1;
  return end > 0 && target.charCodeAt(end) === 0x2f;
}
