import type { BuiltRequest } from '../../src/request/build-request.ts';
import { multipartBody } from '../../src/request/multipart.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** There was no response. */
export class NoResponse extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Sends a request. Throws `NoResponse`, or the signal's reason. */
export async function send(built: BuiltRequest, signal: AbortSignal): Promise<Response> {
  let request: Request;
  try {
    request = fetchRequest(built, signal);
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
    throw new NoResponse(refusalOf(request, violations));
  } finally {
    document.removeEventListener('securitypolicyviolation', note);
  }
}

/** Which no script can set: the browser decides about cookies. */
const FORBIDDEN = /^cookie$/i;

export function hasCookies({ headers }: BuiltRequest): boolean {
  return headers.some(([name]) => FORBIDDEN.test(name));
}

function fetchRequest({ method, url, headers, body }: BuiltRequest, signal: AbortSignal): Request {
  const given = new Headers(
    headers.filter(([name]) => !FORBIDDEN.test(name)).map(([name, value]) => [name, value]),
  );
  const init: RequestInit = { method, headers: given, signal, cache: 'no-store' };
  if (body?.kind === 'text') init.body = body.text;
  else if (body?.kind === 'file' && body.file instanceof Blob) init.body = body.file;
  else if (body?.kind === 'parts') {
    const boundary = `----form-${crypto.getRandomValues(new Uint32Array(4)).join('')}`;
    given.set('Content-Type', `${body.type.split(';')[0]}; boundary=${boundary}`);
    const pieces = multipartBody(body.parts, boundary);
    init.body = new Blob(
      pieces.filter((piece) => typeof piece === 'string' || piece instanceof Blob),
    );
  }
  return new Request(url, init);
}
