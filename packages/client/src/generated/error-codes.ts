// Made by npm run client. Do not edit.

export type ErrorCode =
  | 'conflict'
  | 'forbidden'
  | 'headers_too_large'
  | 'idempotency_conflict'
  | 'idempotency_mismatch'
  | 'internal_error'
  | 'invalid_cursor'
  | 'invalid_json'
  | 'invalid_request'
  | 'invalid_transition'
  | 'not_found'
  | 'not_implemented'
  | 'operation_removed'
  | 'payload_too_large'
  | 'precondition_failed'
  | 'rate_limited'
  | 'request_timeout'
  | 'unauthorized'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'uri_too_long';
