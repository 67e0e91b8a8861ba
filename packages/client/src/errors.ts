/** The codes of errors, as the service's document lists them. More may come. */
export type { ErrorCode } from './generated/error-codes.ts';

import type { ErrorCode } from './generated/error-codes.ts';

/** An error response of the service. */
export class PetstoreError extends Error {
  override name = 'PetstoreError';
  /** For programs: a code that a newer service may have is a string like any other. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** Names the request in the service's log: quote it in a report. */
  readonly requestId: string | undefined;

  constructor(
    { code, message, status }: { code: string; message: string; status: number },
    requestId: string | undefined,
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}
