import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface Fetched {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** As text. */
  readonly body: string;
}

/** Fetches a page of a hosted site, as a browser does that resolves `*.localhost` to this machine by itself. */
export async function fetchFromSite(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Fetched> {
  const { host, port, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>();
  const options = { host: '127.0.0.1', port, path: pathname + search, agent: false };
  request({ ...options, headers: { host, ...headers } })
    .on('error', reject)
    .on('response', (response) => {
      const { statusCode: status = 0, headers: received } = response;
      buffer(response).then(
        (bytes) => resolve({ status, headers: received, bytes, body: bytes.toString() }),
        reject,
      );
    })
    .end();
  return promise;
}

/** The title of the document that a site serves. */
export async function titleAt(site: string): Promise<string> {
  const { body } = await fetchFromSite(`${site}/openapi.json`);
  return JSON.parse(body).info.title;
}
