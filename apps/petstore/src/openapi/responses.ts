import { type ApiErrorCode, ERRORS } from '@petstore/http/errors.ts';
import { Type } from '@petstore/service/schema-builders.ts';
import { missingScope, scopeChallenge } from '../http/admission/scope.ts';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from '../http/limits.ts';
import { idempotencyConflict, idempotencyMismatch } from '../idempotency/result.ts';
import type { Scope } from '../keys/scope.ts';
import { DEFAULT_MAX_HEADER_BYTES } from '../limits.ts';
import { PRECONDITION_FAILED } from '../precondition.ts';
import { type Named, named, Ref } from '../schema-types.ts';

export const ErrorBody = named(
  'Error',
  Type.Object(
    {
      code: Type.String({
        description:
          'Machine-readable error code. More may come: treat one you do not know by its status.',
        examples: ['invalid_request'],
      }),
      message: Type.String({
        description: 'Human-readable description.',
        examples: ['limit must be an integer from 1 to 100.'],
      }),
      status: Type.Integer({ description: 'The HTTP status code.', examples: [400] }),
    },
    { description: 'The body of every error response.' },
  ),
);

/** A header in the form that the generator reads: its schema and a description. */
interface Header {
  readonly description: string;
  readonly type: 'string' | 'integer';
  readonly format?: string;
  readonly examples?: readonly unknown[];
}

/** A header of text. */
function text(description: string, example?: string): Header {
  return { description, type: 'string', ...(example && { examples: [example] }) };
}

export interface ResponseObject {
  readonly description: string;
  readonly headers: Record<string, Header>;
  readonly content?: Record<string, { schema: unknown; example?: unknown; examples?: unknown }>;
  /** Tells the generator that there is no content; it declares a JSON body otherwise. */
  readonly type?: 'null';
}

const COMMON_HEADERS: Record<string, Header> = {
  'X-Request-Id': text("Identifies the request in the service's log."),
};

/** On every response behind authentication, where the service limits the requests of keys. */
const LIMIT_HEADERS: Record<string, Header> = {
  'RateLimit-Policy': text(
    'The quota of the API key, where the service limits requests: `"default";q=100;w=60` is 100 ' +
      'requests in 60 seconds.',
  ),
  RateLimit: text(
    'Where the API key stands, where the service limits requests: `"default";r=50;t=30` says ' +
      'that 50 remain, and that the quota is whole again in 30 seconds.',
  ),
};

/** Statuses of responses that are sent before the key of the request is known. */
const BEFORE_THE_KEY: ReadonlySet<number> = new Set([401, 408, 414, 431, 501]);

/** The errors of an operation: each code with a message that it really sends. */
type Failures = Partial<Record<ApiErrorCode, string>>;

/** Errors that any operation can end in, whatever it does. */
const COMMON_FAILURES: Failures = {
  invalid_request: 'The request must have exactly one Host header.',
  unauthorized: 'An API key is required: send Authorization: Bearer <API_KEY>.',
  request_timeout: 'The request did not arrive in time.',
  rate_limited: 'The API key has used up its requests. Try again in 1 second.',
  uri_too_long: `The request target must be at most ${MAX_TARGET_BYTES} bytes long.`,
  headers_too_large: `The request line and headers must be at most ${DEFAULT_MAX_HEADER_BYTES} bytes long together.`,
  internal_error:
    'The service failed to handle this request. Quote its X-Request-Id when you report it.',
  not_implemented:
    'The only supported transfer coding is chunked: send the body without any other.',
  unavailable: 'The store cannot be reached right now. Try again shortly.',
};

const RETRY_AFTER: Record<string, Header> = {
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    type: 'integer',
    examples: [1],
  },
};

export const CACHE_CONTROL: Record<string, Header> = {
  'Cache-Control': text(
    '`private, no-cache`: the client may store the response, and revalidates it before each use. ' +
      '`no-store`: nobody stores it.',
  ),
};

/** The headers of an error, beyond the common ones. */
const ERROR_HEADERS: Partial<Record<ApiErrorCode, Record<string, Header>>> = {
  unauthorized: { 'WWW-Authenticate': text('The challenge (RFC 6750).', 'Bearer') },
  idempotency_conflict: RETRY_AFTER,
  unsupported_media_type: {
    Accept: text('The media types that would do (RFC 9110, section 15.5.16).'),
    'Accept-Encoding': text(
      'Where the body was compressed: the codings that are accepted, which is `identity` alone.',
      'identity',
    ),
  },
  rate_limited: RETRY_AFTER,
  unavailable: RETRY_AFTER,
};

/** A successful response with a JSON body of a named schema. The example is a real response. */
export function jsonResponse(
  schema: Named,
  description: string,
  example: unknown,
  headers: Record<string, Header> = {},
): ResponseObject {
  return {
    description,
    headers: { ...COMMON_HEADERS, ...LIMIT_HEADERS, ...headers },
    content: { 'application/json': { schema: Ref(schema), example } },
  };
}

/** The headers of every response to a GET beyond its own. */
export const TAGGED: Record<string, Header> = {
  ETag: text(
    'The entity tag of this response. Send it as `If-None-Match` to learn whether it has changed.',
  ),
  ...CACHE_CONTROL,
};

export const NOT_MODIFIED: ResponseObject = {
  description: 'The client has this response already: its `If-None-Match` matches the `ETag`.',
  headers: { ...COMMON_HEADERS, ...LIMIT_HEADERS, ...TAGGED },
  type: 'null',
};

/** The same of a page of a list. */
export const PAGE_NOT_MODIFIED: ResponseObject = {
  ...NOT_MODIFIED,
  headers: {
    ...NOT_MODIFIED.headers,
    Link: text('The next page, as in the response that the client has; absent on the last one.'),
  },
};

/** The headers of a 201. `example` is the path of what was created, such as `/pets/1`. */
export function location(noun: string, example: string): Record<string, Header> {
  return {
    Location: {
      description: `The address of the ${noun}.`,
      type: 'string',
      format: 'uri',
      examples: [`https://petstore.example.com/v1${example}`],
    },
  };
}

/** The errors of a body before its members are read. */
export const BODY_FAILURES: Failures = {
  invalid_json: 'The body is empty; it must be a JSON object.',
  payload_too_large: `The body must be at most ${MAX_BODY_BYTES} bytes long.`,
  unsupported_media_type: 'The body must be JSON: send it with Content-Type: application/json.',
};

/** The same where a body may be left out, or has no meaning. */
export const OPTIONAL_BODY_FAILURES: Failures = {
  ...BODY_FAILURES,
  invalid_json: 'The body is not valid UTF-8.',
};

/** The same for a JSON Merge Patch. */
export const PATCH_FAILURES: Failures = {
  ...BODY_FAILURES,
  unsupported_media_type:
    'The body must be JSON: send it with Content-Type: application/merge-patch+json.',
};

/** Media types of a JSON Merge Patch (RFC 7396). */
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

/**
 * 1 to 255 visible ASCII characters: bare, or as a String of RFC 9651, section 3.3.3. With \x22 for the quotation mark,
 * since generators put the pattern between such.
 */
const IDEMPOTENCY_KEY =
  '^(?:[!#-~][!-~]{0,254}|\\x22(?:[!#-\\[\\]-~]|\\\\[\\x22\\\\]){1,255}\\x22)$';

/**
 * The header with which a client may send a POST again without doing it twice. It has no example: readers of the
 * reference would send that one with each animal, and the second would be refused.
 */
const IdempotencyKey = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      pattern: IDEMPOTENCY_KEY,
      description:
        'Makes the request safe to repeat: sent again with the same key and body, it gets the response of the first ' +
        'time and is not done again. The service keeps that for 24 hours, unless those who run it have set another time. ' +
        'A random UUID is a good key. 1 to ' +
        '255 visible ASCII characters, bare or in double quotes ' +
        '(draft-ietf-httpapi-idempotency-key-header).',
    }),
  ),
});

/** The errors of a POST with these headers. */
export const POST_FAILURES: Failures = {
  precondition_failed: PRECONDITION_FAILED.ifMatch,
  idempotency_conflict: idempotencyConflict().message,
  idempotency_mismatch: idempotencyMismatch().message,
};

/** The conditions of a request (RFC 9110, section 13.1). */
export const Preconditions = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The `ETag` that the request is for: if the current one is another, nothing is done and the status is 412.',
    }),
  ),
  'If-None-Match': Type.Optional(
    Type.String({
      description:
        'The `ETag` that the client has: if it is still the current one, a GET gets 304 without a body, and any ' +
        'other method gets 412 and does nothing.',
    }),
  ),
});

/** The errors of a GET with these headers. */
export const READ_FAILURES: Failures = { precondition_failed: PRECONDITION_FAILED.ifMatch };

export const PostHeaders = Type.Object({
  ...IdempotencyKey.properties,
  ...Preconditions.properties,
});

export const NO_CONTENT: ResponseObject = {
  description: 'It is gone.',
  headers: { ...COMMON_HEADERS, ...LIMIT_HEADERS },
  type: 'null',
};

/** All responses of an operation: its own, and the errors of every operation. `headers`: those that errors have here alone. */
export function responses(
  successes: Record<number, ResponseObject>,
  failures: Failures,
  headers: Partial<Record<ApiErrorCode, Record<string, Header>>> = {},
): Record<number, ResponseObject> {
  const sentences = Object.entries({ ...COMMON_FAILURES, ...failures }) as [ApiErrorCode, string][];
  const byStatus = Map.groupBy(sentences, ([code]) => ERRORS[code].status);
  const errors = [...byStatus].map(([status, group]) => [
    status,
    errorResponse(status, group, Object.assign({}, ...group.map(([code]) => headers[code]))),
  ]);
  return { ...successes, ...Object.fromEntries(errors) };
}

/** The responses of an operation, with a further error among them, unless its code is there. */
export function withFailure(
  described: Record<number, ResponseObject>,
  code: ApiErrorCode,
  message: string,
): Record<number, ResponseObject> {
  const { status } = ERRORS[code];
  const before = described[status];
  const added = errorResponse(status, [[code, message]]);
  if (!before) return { ...described, [status]: added };
  const examples = examplesOf(before);
  if (code in examples) return described;
  const both = {
    ...before,
    description: `${before.description} ${added.description}`,
    content: {
      'application/json': {
        schema: Ref(ErrorBody),
        examples: { ...examples, ...examplesOf(added) },
      },
    },
  };
  return { ...described, [status]: both };
}

function examplesOf({ content }: ResponseObject): object {
  return (content?.['application/json']?.examples ?? {}) as object;
}

/** The response to keys that lack the scope, by its status. */
export function scopeResponse(scope: Scope): Record<number, ResponseObject> {
  const { status } = ERRORS.forbidden;
  const headers = {
    'WWW-Authenticate': text(
      'The challenge, with the scope that is missing (RFC 6750).',
      scopeChallenge(scope),
    ),
  } as const;
  return { [status]: errorResponse(status, [['forbidden', missingScope(scope)]], headers) };
}

function errorResponse(
  status: number,
  sentences: readonly [ApiErrorCode, string][],
  headers: Record<string, Header> = {},
): ResponseObject {
  return {
    description: sentences.map(([code]) => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
    headers: {
      ...COMMON_HEADERS,
      ...CACHE_CONTROL,
      ...(!BEFORE_THE_KEY.has(status) && LIMIT_HEADERS),
      ...Object.assign({}, ...sentences.map(([code]) => ERROR_HEADERS[code])),
      ...headers,
    },
    content: {
      'application/json': {
        schema: Ref(ErrorBody),
        examples: Object.fromEntries(
          sentences.map(([code, message]) => [code, { value: { code, message, status } }]),
        ),
      },
    },
  };
}
