import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Fetches a page of a hosted site, as a browser does that resolves `*.localhost` to this machine by itself. */
export async function fetchFromSite(url: string): Promise<{ status: number; body: string }> {
  const { host, port, pathname } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  request({ host: '127.0.0.1', port, path: pathname, headers: { host }, agent: false })
    .on('error', reject)
    .on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
    .end();
  return promise;
}

/** The title of the document that a site serves. */
export async function titleAt(site: string): Promise<string> {
  const { body } = await fetchFromSite(`${site}/openapi.json`);
  return JSON.parse(body).info.title;
}
