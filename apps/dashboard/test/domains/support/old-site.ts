import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createIssuing, loopbackCertificate } from '@petstore/lab/certificate-authority/issuing.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';

/** What a path answers with: the HTML of a page, or a whole response. */
export type OldPage =
  | string
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body?: string | Buffer;
    };

export interface OldSite {
  readonly address: string;
  readonly port: number;
  /** By path. What is not there is a 404. */
  pages: Record<string, OldPage>;
  /** Sent with each response. */
  headers: Record<string, string>;
  /** Answers in place of the pages. */
  answer: RequestListener | undefined;
  /** The requests so far. */
  readonly requests: IncomingMessage[];
}

/** The site that a name shows before it is moved: over TLS, with a certificate that no browser trusts. */
export async function startOldSite(t: Ending, address = '127.0.0.3'): Promise<OldSite> {
  const issuing = await createIssuing('Old', Date.now);
  const { chain, key } = await loopbackCertificate(issuing);
  const requests: IncomingMessage[] = [];
  const site: OldSite = {
    ...{ address, port: 0, pages: {}, headers: {}, answer: undefined, requests },
  };
  const server = createServer({ cert: chain, key }, (request, response) => {
    requests.push(request);
    if (site.answer) return site.answer(request, response);
    const page = site.pages[request.url ?? ''];
    const { status = 200, headers = {}, body } = typeof page === 'object' ? page : { body: page };
    const type = { 'content-type': 'text/html; charset=utf-8' };
    response.writeHead(page === undefined ? 404 : status, { ...type, ...site.headers, ...headers });
    response.end(body ?? '');
  });
  server.listen(0, address);
  await once(server, 'listening');
  cleanUp(t, async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return Object.assign(site, { port: (server.address() as AddressInfo).port });
}

/** A page with links. */
export const page = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title>${links.map((to) => `<a href="${to}">x</a>`).join('')}`;
