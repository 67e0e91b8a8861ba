import type { ErrorBody } from '../../server/src/schema-types.ts';

/** An error response of the server. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** The seconds after which a retry makes sense, where the server names them. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, status }: ErrorBody, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** There was no response: the network or the server is away. */
export class OfflineError extends Error {
  constructor() {
    super('The dashboard cannot be reached. Check your connection, then try again.');
    this.name = 'OfflineError';
  }
}

/** Asks the user to prove who they are. Whether they did. */
type AskToConfirm = () => Promise<boolean>;
let askToConfirm: AskToConfirm = async () => false;

/** What asks, for requests that the server answers only after that. */
export function setAskToConfirm(ask: AskToConfirm): void {
  askToConfirm = ask;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Sends a request to the API. Where the server wants the user to prove again who they are, they are asked, and the
 * request is repeated.
 *
 * @param path - below `/api`, its variable segments written with `path`
 * @param body - sent as JSON
 * @returns the response's body, parsed; undefined for an empty one
 * @throws ApiError when the server refuses; OfflineError when there is no response
 */
export async function request<T>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new OfflineError();
  }
  const text = await response.text();
  if (!response.ok) {
    const error = apiError(response.status, text, response.headers.get('retry-after'));
    if (error.code !== 'confirmation_required') throw error;
    if (await askToConfirm()) return request<T>(method, path, body, signal);
    throw new ApiError({
      ...{ code: error.code, status: error.status },
      message: 'You did not confirm that it is you, so nothing was changed.',
    });
  }
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** The error in a response's text. A proxy on the way may have written it. */
export function apiError(status: number, text: string, retryAfter?: string | null): ApiError {
  try {
    const { code, message } = JSON.parse(text) as ErrorBody;
    if (typeof code === 'string' && typeof message === 'string') {
      return new ApiError({ code, message, status }, seconds(retryAfter));
    }
  } catch {
    // It is not the API's Error body; see below.
  }
  return new ApiError({
    code: 'internal_error',
    message: `The server responded with ${status} and gave no reason. Try again in a moment.`,
    status,
  });
}

/** `Retry-After` as this server writes it (RFC 9110, section 10.2.3, has dates, too). */
function seconds(retryAfter: string | null | undefined): number | undefined {
  return retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** A path below `/api` whose values cannot break out of their segments. */
export function path(strings: TemplateStringsArray, ...values: readonly (string | number)[]) {
  return String.raw({ raw: strings }, ...values.map((value) => encodeURIComponent(value)));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
