import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@petstore/http/errors.ts';
import { countHeader } from '@petstore/http/request-head.ts';
import type { FastifyRequest } from 'fastify';
import type { ActiveKey } from '../keys/key.ts';
import type { Idempotency } from '../store/contract/idempotency.ts';

const HEADER = 'idempotency-key';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it arrived, where the request has an Idempotency-Key and a body. */
    bodyBytes: Buffer | undefined;
  }
}

/** What a request asks for with its Idempotency-Key. The route knows the collection. */
export type RequestedIdempotency = Omit<Idempotency, 'collectionUrl'>;

/**
 * The Idempotency-Key of a POST with an active key, with what the store needs to carry the request out once; undefined
 * where it has none. `body` as it arrived. Throws ApiError `invalid_request` for a malformed key.
 */
export type IdempotencyOf = (
  request: IncomingMessage,
  apiKey: ActiveKey,
  body: Buffer | undefined,
) => RequestedIdempotency | undefined;

export interface IdempotencyReaderDeps {
  /** How long a result is kept, in milliseconds. */
  readonly keptMs: number;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the API key's id for each request with an Idempotency-Key, sandboxes excepted. */
  readonly onIdempotencyKey: (owner: string) => void;
}

/** Idempotency-Key as in draft-ietf-httpapi-idempotency-key-header-07. */
export function idempotencyReader({
  keptMs,
  now,
  onIdempotencyKey,
}: IdempotencyReaderDeps): IdempotencyOf {
  return (request, { id: owner, sandbox }, body) => {
    const value = request.headers[HEADER];
    if (value === undefined) return undefined;
    const key = readKey(String(value));
    if (key === undefined || countHeader(request.rawHeaders, HEADER) > 1) throw unusableKey();
    // A sandbox limits its own results: see MAX_RESULTS in sandbox-draft.ts.
    if (!sandbox) onIdempotencyKey(owner);
    const at = now();
    const since = new Date(at - keptMs);
    return { owner, key, fingerprint: fingerprint(request, body), at: new Date(at), since };
  };
}

/** Keeps the bytes of a body, since only they show whether it is the same again. */
export function keepBody(request: FastifyRequest, body: Buffer): void {
  if (request.headers[HEADER] !== undefined) request.bodyBytes = body;
}

/**
 * The key in a header's value: a String of RFC 9651, section 3.3.3, as the draft has it (section 2.1),
 * or bare, as most clients send it. undefined where it is neither.
 */
function readKey(value: string): string | undefined {
  const key = value.startsWith('"') ? unquoted(value) : value;
  return key !== undefined && /^[\x21-\x7e]{1,255}$/.test(key) ? key : undefined;
}

function unquoted(value: string): string | undefined {
  const inside = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1];
  return inside?.replace(/\\(.)/g, '$1');
}

/** The digest covers the method, the path and every byte of the body. A query has no effect on a POST. */
function fingerprint({ method, url = '' }: IncomingMessage, body: Buffer | undefined): string {
  const [path = ''] = url.split('?', 1);
  const line = `${method} ${path}\n`;
  return hash('sha256', body ? Buffer.concat([Buffer.from(line), body]) : line, 'base64');
}

function unusableKey(): ApiError {
  return new ApiError(
    'invalid_request',
    'Idempotency-Key must be one header of 1 to 255 visible ASCII characters, bare or in double quotes.',
  );
}
