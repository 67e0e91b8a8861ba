import { isLoopback } from './here.ts';

/** Why there was no response. */
export interface NetworkFailure {
  readonly message: string;
  /** The site's proxy may get one: it is the browser that refused. */
  readonly mayPassProxy?: boolean;
}

/**
 * Who refused a request. A browser does not tell a page which of the reasons it was, as far as they lie outside of it,
 * so the server is asked again without need of a permission. `violations`: what the page's own policy blocked meanwhile.
 * Throws the signal's reason.
 */
export async function diagnoseFailure(
  request: Request,
  violations: readonly string[],
  signal: AbortSignal,
): Promise<NetworkFailure> {
  const { origin, protocol, hostname } = new URL(request.url);
  const blocked = violations.find((uri) => uri !== '');
  if (blocked !== undefined) {
    const target = URL.canParse(blocked) ? new URL(blocked).origin : origin;
    const how = target === origin ? '' : `, to which ${origin} redirected`;
    return {
      message: `This page's policy (Content-Security-Policy, connect-src) does not allow requests to ${target}${how}. Nothing was sent there. The policy allows the servers that the document declares.`,
    };
  }
  if (location.protocol === 'https:' && protocol === 'http:' && !isLoopback(hostname)) {
    return {
      mayPassProxy: true,
      message: `The browser sends nothing from this page to ${origin}: the page came over HTTPS and the API is asked over HTTP (mixed content). The API has to be reachable over HTTPS.`,
    };
  }
  if (!navigator.onLine) return { message: `No response from ${origin}: this browser is offline.` };
  if (origin === location.origin) {
    return { message: `No response from ${origin}: it is down, or out of reach.` };
  }
  const finding = await probe(origin, signal);
  if (finding === 'down') {
    return {
      message: `No response from ${origin}, whatever this browser asks it: it is down, its name is unknown, its certificate is not trusted, or it hides from other sites (Cross-Origin-Resource-Policy).`,
    };
  }
  const permission = `it does not allow pages of ${location.origin} (CORS). Its operator must send ${neededHeaders(request)}.`;
  return {
    mayPassProxy: true,
    message:
      finding === 'up'
        ? `${origin} is up, but ${permission}`
        : `No response from ${origin}, and none to a second request within ${MAX_WAIT / 1000} seconds. Either it is overloaded, or ${permission}`,
  };
}

/** What a server has to send for the request to be allowed, in words. */
function neededHeaders({ method, headers }: Request): string {
  const names = [...headers].filter((header) => !isSafelisted(header)).map(([name]) => name);
  return [
    `Access-Control-Allow-Origin: ${location.origin}`,
    ...(names.length > 0 ? [`Access-Control-Allow-Headers: ${names.join(', ')}`] : []),
    ...(/^(?:GET|HEAD|POST)$/.test(method) ? [] : [`Access-Control-Allow-Methods: ${method}`]),
  ].join(' and ');
}

/** Headers that no server has to allow: https://fetch.spec.whatwg.org/#cors-safelisted-request-header. */
function isSafelisted([name, value]: [string, string]): boolean {
  if (name === 'content-type') {
    return /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(
      value,
    );
  }
  return /^(?:accept|accept-language|content-language)$/.test(name);
}

/** In milliseconds. */
const MAX_WAIT = 5000;

/** Whether a server responds to a request that needs no permission. Throws the signal's reason. */
async function probe(server: string, signal: AbortSignal): Promise<'up' | 'down' | 'slow'> {
  const timeout = AbortSignal.timeout(MAX_WAIT);
  try {
    await fetch(server, {
      mode: 'no-cors',
      method: 'HEAD',
      credentials: 'omit',
      signal: AbortSignal.any([signal, timeout]),
    });
    return 'up';
  } catch {
    signal.throwIfAborted();
    return timeout.aborted ? 'slow' : 'down';
  }
}
