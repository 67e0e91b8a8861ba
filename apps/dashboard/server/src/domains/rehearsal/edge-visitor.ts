import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { request as httpRequest } from '@petstore/http/node-http.ts';

/** Where this process's own edge listens. */
export interface EdgePorts {
  readonly host: string;
  readonly http: number;
  readonly https: number;
  /** By which this process reads its own private sites. */
  readonly pass: string;
}

/** The certificate that the edge shows for a name, checked as a browser does. */
export interface ShownCertificate {
  readonly issuer: string;
  readonly notAfter: number;
  /** Why browsers would refuse it, by Node's code; null: they would not. */
  readonly problem: string | null;
}

interface EdgeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What a visitor finds at a path: a page, perhaps somewhere else, or nothing. `status`: undefined where nobody asked. */
type Found =
  | { readonly kind: 'page' }
  /** `to`: a path, or a whole address on another host. */
  | { readonly kind: 'moved'; readonly to: string; readonly status: number | undefined }
  | { readonly kind: 'missing'; readonly status: number };

export interface EdgeVisitor {
  /** undefined: the edge has none for this name, so that it serves it without TLS. */
  readonly certificate: ShownCertificate | undefined;
  /** One GET of the future site, over TLS where there is a certificate. */
  get(path: string): Promise<EdgeResponse>;
  /** What is at a path, redirects followed as far as this edge serves the names of the project. */
  find(path: string): Promise<Found>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;
const CONNECTIONS = 2;

/** Of one file of the site that is read whole: the list of its pages. */
const MAX_TEXT = 8_000_000;

interface Options {
  readonly hostname: string;
  readonly edge: EdgePorts;
  /** The hosts that show sites of the same project. */
  readonly ownHosts: readonly string[];
  /** PEM; undefined: the usual ones. */
  readonly roots: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Visits a name through the edge of this process, over connections of its own as from outside: the handshake has the
 * name as its server name, and the certificate is checked for it. What the DNS says plays no part.
 */
export async function visitEdge(options: Options): Promise<EdgeVisitor> {
  const { hostname, edge, ownHosts, roots, signal } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const host = loopbackOf(edge.host);
  const certified = new Map<string, Promise<ShownCertificate | undefined>>();

  /** Asked once for each host: without a certificate the edge ends the handshake. */
  const certificateOf = (name: string) => {
    const known = certified.get(name) ?? handshake(name);
    certified.set(name, known);
    return known;
  };

  const send = async (name: string, path: string, method: string, isSecure: boolean) => {
    const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const headers = { host: name, authorization: `Bearer ${edge.pass}` };
    const common = { host, path, method, signal: either, headers };
    const request = isSecure
      ? httpsRequest({
          ...{ ...common, port: edge.https, agent, servername: name, rejectUnauthorized: false },
          ...(roots && { ca: [...roots] }),
        })
      : httpRequest({ ...common, port: edge.http, agent: false });
    request.on('error', () => {});
    request.end();
    const [response] = (await once(request, 'response', { signal: either })) as [IncomingMessage];
    return response;
  };

  const handshake = async (name: string): Promise<ShownCertificate | undefined> => {
    try {
      const response = await send(name, '/', 'HEAD', true);
      response.resume();
      return shownBy(response.socket as TLSSocket);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };

  const ask = async (name: string, path: string, method: string): Promise<EdgeResponse> => {
    const response = await send(name, path, method, (await certificateOf(name)) !== undefined);
    let text = '';
    response.setEncoding('utf8');
    for await (const piece of response) {
      text += piece;
      if (text.length > MAX_TEXT) break;
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  };

  return {
    certificate: await certificateOf(hostname),
    get: (path) => ask(hostname, path, 'GET'),
    async find(path) {
      let [name, at] = [hostname, path];
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const { status, headers } = await ask(name, at, 'HEAD');
        if (status >= 200 && status < 300)
          return redirects === 0
            ? { kind: 'page' }
            : { kind: 'moved', to: name === hostname ? at : `https://${name}${at}`, status };
        const { location } = headers;
        if (status < 300 || status >= 400 || location === undefined) {
          return { kind: 'missing', status };
        }
        const url = new URL(location, `https://${name}${at}`);
        if (url.hostname !== hostname && !ownHosts.includes(url.hostname))
          return { kind: 'moved', to: url.href, status: undefined };
        [name, at] = [url.hostname, url.pathname + url.search];
      }
      return { kind: 'missing', status: 508 };
    },
    close: () => agent.destroy(),
  };
}

function shownBy(socket: TLSSocket): ShownCertificate | undefined {
  const certificate = socket.getPeerCertificate();
  if (!certificate.valid_to) return undefined;
  return {
    issuer: String(certificate.issuer.CN ?? certificate.issuer.O ?? ''),
    notAfter: Date.parse(certificate.valid_to),
    problem: socket.authorized ? null : String(socket.authorizationError),
  };
}

/** An edge that listens at all addresses is asked at loopback. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
