import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { bytesOf } from '@petstore/site/site/file-bytes.ts';
import { DIAGRAM_FRAME, DIAGRAM_POLICY } from '@petstore/site/site/policy.ts';
import { READERS_PATH } from '@petstore/site/site/readers/readers-format.ts';
import type { SiteFile } from '@petstore/site/site/site-files.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';

/** Serves the files of a site as the edge would: each at its path, pages with their policy. */
export async function serveSite(
  t: TestContext,
  site: { readonly files: readonly SiteFile[]; readonly contentSecurityPolicy: string },
): Promise<string> {
  const files = new Map(site.files.map((file) => [file.path, file]));
  const server = createServer((request, response) => {
    if (request.url === READERS_PATH) return response.writeHead(204).end();
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const found = files.get(path);
    const file = found ?? files.get('/404.html');
    response.writeHead(found ? 200 : 404, {
      'content-type': file?.type ?? 'text/plain',
      'x-content-type-options': 'nosniff',
      ...(file?.type.startsWith('text/html')
        ? {
            'content-security-policy':
              path === DIAGRAM_FRAME ? DIAGRAM_POLICY : site.contentSecurityPolicy,
          }
        : {}),
    });
    response.end(file && bytesOf(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
