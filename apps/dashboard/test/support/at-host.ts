import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Service } from './service.ts';

/** What the edge answers at a site's own address, as `http://pets.docs.localhost:8082`. */
export async function atSite(
  { edgePort }: Service,
  siteUrl: string,
  path = '/',
): Promise<{ status: number; body: string }> {
  const { host } = new URL(siteUrl);
  return new Promise((resolve, reject) => {
    const asked = request({ port: edgePort, host: '127.0.0.1', path, headers: { host } });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    asked.end();
  });
}
