import type { ApiErrorCode } from '@petstore/http/errors.ts';

/**
 * A page about each error, beyond the one sentence in the table of codes: what causes it and what to do. Paragraphs of
 * plain text, with `code` in backticks. docs/errors.md and the pages at /errors/CODE are generated from it.
 */
export const ERROR_GUIDE: Readonly<Record<ApiErrorCode, readonly string[]>> = {
  invalid_json: [
    'The body is not strict JSON: a syntax error (the message says where), bytes that are not ' +
      'UTF-8, a byte order mark, a member that stands twice in one object, more than 32 levels ' +
      'of nesting, or a member that reaches for a prototype (`__proto__`, or `constructor` with ' +
      'a `prototype`). Nothing was stored. Mend the body; sending it again unchanged will not ' +
      'help.',
  ],
  invalid_request: [
    'A part of the request is missing or out of bounds. The message names each part and what ' +
      'it must be. The same code stands for bytes that are not HTTP/1.1, and for a missing ' +
      'or second `Host` header.',
    'An `Idempotency-Key` must be 1 to 255 visible ASCII characters, bare or in double quotes, ' +
      'and stand in one header.',
  ],
  invalid_cursor: [
    'The `cursor` is not one that this service gave out. Take it from a `Link` header as it ' +
      'is, or leave it out to start from the first page.',
  ],
  unauthorized: [
    'The API key is missing, malformed, expired, revoked, unknown, or of the other environment ' +
      '(`pk_test_` keys are for staging, `pk_live_` keys for production), or its sandbox has ended ' +
      '(`pk_sand_`). Send it as ' +
      '`Authorization: Bearer <API_KEY>`, in one header. The response has a `WWW-Authenticate: ' +
      'Bearer` challenge.',
  ],
  forbidden: [
    'The API key is valid, but it lacks the scope that the operation needs. The ' +
      'message and the `WWW-Authenticate` challenge (`error="insufficient_scope"`) name it, and the ' +
      'OpenAPI document lists it for each operation as `x-required-scopes`. Nothing was changed.',
    'The scopes of a key stay as they are. Ask those who run the service for a key that has the scope: ' +
      '`petstore keys create --name NAME --scope pets:read,pets:write` creates one.',
  ],
  not_found: [
    'There is nothing at this path, or nothing has this id: no animal, category or order, or not the ' +
      'animal that a new order names.',
  ],
  method_not_allowed: [
    'The path exists, the method does not. The `Allow` header lists those that do.',
  ],
  request_timeout: [
    'The request did not arrive in time. The connection is closed. Send it again, faster.',
  ],
  conflict: [
    'The request conflicts with what is stored now. The message says with what: an open ' +
      'order names the animal, the animal is not available, another category has the name, or ' +
      'animals are in the category, or a sandbox is full. Change that first.',
  ],
  invalid_transition: [
    'The status cannot change in this way. An available animal can become pending or sold, a ' +
      'pending one available or sold, a sold one available. An order that is completed or ' +
      'cancelled stays so.',
  ],
  idempotency_conflict: [
    'A request with this `Idempotency-Key` is being worked on and has not ended. Send it again ' +
      'after `Retry-After` seconds, with the same key: then you get the response of the first ' +
      'request.',
  ],
  events_expired: [
    'The log of events no longer has the event that comes next after your position. The message says which events are ' +
      'lost to you, and which is the oldest that is kept. Read the animals and orders anew, and then go on from the ' +
      'oldest event: leave out `after`, `cursor` and `Last-Event-ID`.',
    'Events are kept for 24 hours unless those who run the service have set another time, and fewer where there ' +
      'are very many.',
  ],
  operation_removed: [
    'The operation was removed at its sunset date. The message and the `Link` header with ' +
      '`rel="successor-version"` say what replaced it.',
  ],
  precondition_failed: [
    '`If-Match` does not match the current `ETag`: somebody has changed the resource since you ' +
      'read it. Or `If-None-Match` matches it, and the request is not a GET. Nothing was ' +
      'changed. Read it again, look at what is new, and send the change with the new `ETag`.',
  ],
  payload_too_large: ['The body is longer than 65536 bytes. Nothing was stored.'],
  uri_too_long: ['The request target is longer than 8192 bytes.'],
  unsupported_media_type: [
    'The body is not `application/json` in UTF-8 (or `application/merge-patch+json`, where it ' +
      'is a patch), or is compressed (`Content-Encoding`). Nothing was stored.',
  ],
  idempotency_mismatch: [
    'This `Idempotency-Key` was sent before, by the same API key, with another path or body, and the ' +
      'result is still kept: for 24 hours, unless those who run the service have set another time. A ' +
      'body counts as the same when every byte of it is. Nothing was ' +
      'done. Make a new key for each new request, a random UUID for instance, and use it again ' +
      'only to repeat that request.',
  ],
  rate_limited: [
    'Nothing was done. The message says which of these it is: the API key has made all the requests ' +
      'that it may make for now; it has as many streams of events open as it may have; too many requests ' +
      'came from your address without a valid key; you have made as many sandboxes as you may within an ' +
      'hour; or others are testing webhooks just now. Wait ' +
      'for the seconds in `Retry-After`, then send it again as it was. With a limit on keys, every ' +
      'response says where the key stands: `RateLimit-Policy: "default";q=100;w=60` is a quota of ' +
      '100 requests in 60 seconds, and `RateLimit: "default";r=50;t=30` says that 50 remain and ' +
      'that the quota is whole again in 30 seconds. Errors and 304 count as requests.',
  ],
  headers_too_large: [
    'The request line and the headers are longer than 16384 bytes together, and the connection is ' +
      'closed; or there are more than 100 header fields. Whoever runs the service can set both.',
  ],
  internal_error: [
    'The service failed unexpectedly. It is not known whether a write happened: ' +
      'look before you repeat it. Report it with its `X-Request-Id`.',
  ],
  not_implemented: [
    'The request names a `Transfer-Encoding` besides `chunked`, such as `gzip` or `identity`. Nothing was ' +
      'done, and the connection is closed. Send the body as it is, with its `Content-Length` or in chunks.',
  ],
  unavailable: [
    'The database cannot do its work now (locked, full, away); or the service has more to do than it ' +
      'can, is about to stop, or has as many sandboxes, webhooks of sandboxes or streams of events as it ' +
      'may have, which the message says; then nothing happened. Try again after the number of seconds in ' +
      '`Retry-After`. A write with this response has usually not happened; it may have, if the ' +
      'database went away while it was under way.',
  ],
};
