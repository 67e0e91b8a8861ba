import type { BuiltRequest } from '../../src/request/build-request.ts';
import { multipartBody } from '../../src/request/multipart.ts';
import { diagnoseFailure, type NetworkFailure } from './network-failure.ts';
import { type ApiResponse, goesThroughProxy, type Outgoing, sendThroughProxy } from './proxy.ts';

/** There was no response. */
export class NoResponse extends Error {
  readonly failure: NetworkFailure;

  constructor(failure: NetworkFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Sends a request, as the reader chose. Throws `NoResponse`, `ProxyError`, or the signal's reason. */
export async function send(built: BuiltRequest, signal: AbortSignal): Promise<ApiResponse> {
  const outgoing = outgoingOf(built);
  if (goesThroughProxy(outgoing.url)) return sendThroughProxy(outgoing, signal);
  let request: Request;
  try {
    request = fetchRequest(outgoing, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NoResponse({ message: `This request cannot be sent: ${reason}` });
  }
  const violations: string[] = [];
  const note = (event: SecurityPolicyViolationEvent) => violations.push(event.blockedURI);
  document.addEventListener('securitypolicyviolation', note);
  try {
    return await fetch(request.clone());
  } catch (error) {
    if (signal.aborted) throw error;
    // The event comes in a task of its own.
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new NoResponse(await diagnoseFailure(request, violations, signal));
  } finally {
    document.removeEventListener('securitypolicyviolation', note);
  }
}

/** Which no script can set: the browser decides about cookies. */
const FORBIDDEN = /^cookie$/i;

export function hasCookies({ headers }: BuiltRequest): boolean {
  return headers.some(([name]) => FORBIDDEN.test(name));
}

/** A request without cookies, and with the bytes of its body. */
function outgoingOf({ method, url, headers: all, body }: BuiltRequest): Outgoing {
  const headers = all.filter(([name]) => !FORBIDDEN.test(name));
  if (body?.kind === 'text') return { method, url, headers, content: body.text };
  if (body?.kind === 'file' && body.file instanceof Blob)
    return { method, url, headers, content: body.file };
  if (body?.kind !== 'parts') return { method, url, headers };
  const boundary = `----form-${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
  const type = `${body.type.split(';')[0]}; boundary=${boundary}`;
  const pieces = multipartBody(body.parts, boundary);
  return {
    ...{ method, url },
    headers: [...headers.filter(([name]) => !/^content-type$/i.test(name)), ['Content-Type', type]],
    content: new Blob(pieces.filter((piece) => typeof piece === 'string' || piece instanceof Blob)),
  };
}

function fetchRequest({ method, url, headers, content }: Outgoing, signal: AbortSignal): Request {
  return new Request(url, {
    ...{ method, signal, cache: 'no-store' },
    headers: headers.map(([name, value]) => [name, value]),
    ...(content !== undefined && { body: content }),
  });
}
