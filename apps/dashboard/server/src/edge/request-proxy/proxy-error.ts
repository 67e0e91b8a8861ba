import type { ProxyProblem } from '@petstore/site/request/proxy-format.ts';
import type { EdgeResponse } from '../http/response.ts';
import type { Headers } from '../sites/file-headers.ts';

/** The codes of what the proxy does not do, with their statuses. */
const STATUSES = {
  invalid_request: 400,
  forbidden: 403,
  /** The document does not declare the address. */
  not_declared: 403,
  /** The address is of a network that the proxy does not call. */
  no_address: 502,
  length_required: 411,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  loop_detected: 508,
  /** There was no response, or none that is HTTP. */
  no_response: 502,
  redirect_refused: 502,
  response_too_large: 502,
  timeout: 504,
  /** Nobody is told: the client has gone. */
  client_left: 499,
} as const;

export type ProxyErrorCode = keyof typeof STATUSES;

/** Why the proxy sent nothing, or ended a response. The message is for the reader, and has nothing of the request but its origin and path. */
export class ProxyError extends Error {
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  problem(): ProxyProblem {
    const { code, message } = this;
    return { code, message, status: STATUSES[code] };
  }

  response(always: Headers): EdgeResponse {
    const problem = this.problem();
    const content = Buffer.from(`${JSON.stringify(problem)}\n`);
    const isBusy = problem.status === 429 || problem.status === 503;
    return {
      status: problem.status,
      headers: [
        ...['Content-Type', 'application/json'],
        ...['X-Content-Type-Options', 'nosniff'],
        ...['Cache-Control', 'no-store'],
        ...always,
        ...(isBusy ? ['Retry-After', '1'] : []),
        ...['Content-Length', String(content.length)],
      ],
      content,
    };
  }
}
