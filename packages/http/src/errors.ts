/**
 * Every error code of the API, most of which the dashboard has, too: its status and what it means. Codes are part of the
 * interfaces: a retired code is never reused.
 */
export const ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not strict JSON.' },
  invalid_request: { status: 400, meaning: 'A part of the request is missing or out of bounds.' },
  invalid_cursor: { status: 400, meaning: 'The cursor is not one that this service gave out.' },
  unauthorized: { status: 401, meaning: 'Missing or invalid API key.' },
  forbidden: { status: 403, meaning: 'The API key lacks the scope for this.' },
  not_found: { status: 404, meaning: 'Nothing is at this address.' },
  method_not_allowed: { status: 405, meaning: 'The address exists, the method does not.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  conflict: { status: 409, meaning: 'The request conflicts with what is stored.' },
  invalid_transition: { status: 409, meaning: 'The status cannot change in this way.' },
  idempotency_conflict: {
    status: 409,
    meaning: 'Another request with this Idempotency-Key has not ended.',
  },
  events_expired: {
    status: 410,
    meaning: 'The events after this position are no longer kept.',
  },
  operation_removed: { status: 410, meaning: 'The operation was removed after its sunset date.' },
  precondition_failed: {
    status: 412,
    meaning: 'The condition of If-Match or If-None-Match does not hold.',
  },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit.' },
  uri_too_long: { status: 414, meaning: 'The request target is longer than the limit.' },
  unsupported_media_type: { status: 415, meaning: 'The body is not application/json.' },
  idempotency_mismatch: {
    status: 422,
    meaning: 'Another request was sent with this Idempotency-Key.',
  },
  rate_limited: { status: 429, meaning: 'Too many requests; try again later.' },
  headers_too_large: { status: 431, meaning: 'The header section is larger than the limit.' },
  internal_error: { status: 500, meaning: 'The service failed; the cause is in its log.' },
  not_implemented: { status: 501, meaning: 'The transfer coding of the body is not supported.' },
  unavailable: { status: 503, meaning: 'The service cannot do this now; try again.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** What the dashboard alone responds with: the API has no sessions. */
const DASHBOARD_ERRORS = {
  confirmation_required: {
    status: 403,
    meaning: 'The user of a session has not proved lately who they are.',
  },
} as const;

/** A code of the API. */
export type ApiErrorCode = keyof typeof ERRORS;
export type ErrorCode = ApiErrorCode | keyof typeof DASHBOARD_ERRORS;

const ALL = { ...ERRORS, ...DASHBOARD_ERRORS };

interface Options {
  /** For the log alone. */
  readonly cause?: unknown;
  /** Headers that the status requires, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error in three parts: a stable code, a public sentence, and a private cause. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, publicMessage: string, { cause, headers = {} }: Options = {}) {
    super(publicMessage, { cause });
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return ALL[this.code].status;
  }

  /** The Error body. */
  get body() {
    return { code: this.code, message: this.message, status: this.status };
  }
}
