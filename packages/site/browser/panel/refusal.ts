import { isLoopback } from './here.ts';

/** Why there was no response. */
export interface Refusal {
  readonly message: string;
  /** Finds out more, and says it in a sentence; undefined where there is no more to find. */
  readonly more?: () => Promise<string>;
  /** The site's proxy may get one: it is the browser that refused. */
  readonly mayPassProxy?: boolean;
}

/**
 * Who refused a request. A browser does not tell a page which of the reasons it was, as far as they lie outside of it.
 * `violations`: what the page's own policy blocked meanwhile.
 */
export function refusalOf(request: Request, violations: readonly string[]): Refusal {
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
  return { message: corsMessage(request, origin), more: () => probe(origin), mayPassProxy: true };
}

function corsMessage({ method, headers }: Request, server: string): string {
  const { origin } = location;
  const names = [...headers].filter((header) => !isSafelisted(header)).map(([name]) => name);
  const needed = [
    `Access-Control-Allow-Origin: ${origin}`,
    ...(names.length > 0 ? [`Access-Control-Allow-Headers: ${names.join(', ')}`] : []),
    ...(/^(?:GET|HEAD|POST)$/.test(method) ? [] : [`Access-Control-Allow-Methods: ${method}`]),
  ];
  return `No response from ${server}. Either it is down, or it does not allow pages of ${origin} (CORS): its operator must send ${needed.join(' and ')}.`;
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

/** A request that needs no permission, and of which a page learns only whether something answered. */
async function probe(server: string): Promise<string> {
  try {
    const signal = AbortSignal.timeout(5000);
    await fetch(server, { mode: 'no-cors', method: 'HEAD', credentials: 'omit', signal });
    return `${server} does answer requests that need no permission, so it is up and CORS is what is missing.`;
  } catch {
    return `${server} does not answer any request of this browser: it is down, its name is unknown, or its certificate is not trusted.`;
  }
}
