import type { IncomingMessage } from 'node:http';
import { requestHeaders, withoutBody, withoutCredentials } from './header-fields.ts';
import { ProxyError } from './proxy-error.ts';
import type { OutgoingRequest } from './read-request.ts';

const MAX_REDIRECTS = 5;

export interface FinalResponse {
  readonly response: IncomingMessage;
  /** From where it came. */
  readonly url: URL;
  readonly redirected: boolean;
}

/**
 * Sends a request by `send`, which checks its address, and follows redirects as browsers do: each one is checked as
 * the first was, and credentials do not go to another origin. Rejects as `send` does, and with ProxyError for a
 * redirect that is not followed.
 */
export async function followRedirects(
  first: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<IncomingMessage>,
): Promise<FinalResponse> {
  let request: OutgoingRequest = { ...first, headers: requestHeaders(first.headers) };
  let response = await send(request);
  for (let redirects = 0; ; redirects++) {
    const location = locationOf(response);
    if (location === undefined) return { response, url: request.url, redirected: redirects > 0 };
    response.destroy();
    if (redirects === MAX_REDIRECTS)
      throw new ProxyError('redirect_refused', `${first.url.origin} redirected too often.`);
    request = redirected(request, location, response.statusCode ?? 0);
    try {
      response = await send(request);
    } catch (error) {
      throw error instanceof ProxyError ? explained(first, request, error) : error;
    }
  }
}

function locationOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

/** https://fetch.spec.whatwg.org/#http-redirect-fetch */
function redirected(request: OutgoingRequest, location: string, status: number): OutgoingRequest {
  const url = URL.canParse(location, request.url.href)
    ? new URL(location, request.url.href)
    : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ProxyError(
      'redirect_refused',
      `${request.url.origin} redirected to something that is no http or https address.`,
    );
  url.hash = url.username = url.password = '';
  const headers =
    url.origin === request.url.origin ? request.headers : withoutCredentials(request.headers);
  const isPost = request.method.toUpperCase() === 'POST';
  const becomesGet =
    ((status === 301 || status === 302) && isPost) ||
    (status === 303 && !/^(?:GET|HEAD)$/i.test(request.method));
  if (!becomesGet) return { ...request, url, headers };
  return { method: 'GET', url, headers: withoutBody(headers), body: Buffer.alloc(0) };
}

function explained(
  first: OutgoingRequest,
  { url }: OutgoingRequest,
  error: ProxyError,
): ProxyError {
  if (error.code === 'timeout' || error.code === 'client_left') return error;
  return new ProxyError(
    'redirect_refused',
    `${first.url.origin} redirected to ${url.origin}${url.pathname}. ${error.message}`,
  );
}
