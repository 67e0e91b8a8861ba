import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startBrowser } from '@petstore/test-support/browser.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { built, filesOf } from '../../support/build-site.ts';
import { MemorySource, type TestFile } from '../support/memory-source.ts';
import { deploySecurely, startSecureEdge } from '../support/secure-edge.ts';

test('a page that came over HTTPS says that the browser asks no API over HTTP, and does not blame the API', async (t) => {
  let asked = 0;
  const api = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('[]');
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  cleanUp(t, () => {
    api.close();
    api.closeAllConnections();
  });
  const { port } = api.address() as AddressInfo;
  // A browser may ask its own machine over HTTP from any page, so the API needs another name.
  const server = `http://api.test:${port}`;

  const { files, contentSecurityPolicy } = filesOf(
    await built({
      openapi: '3.1.0',
      info: { title: 'Bikes', version: '1' },
      servers: [{ url: server }, { url: `http://127.0.0.1:${port}` }],
      paths: { '/bikes': { get: { responses: { 200: { description: 'Bikes.' } } } } },
    }),
  );
  const source = new MemorySource();
  const deployed = files.map(({ path, type, content }): [string, TestFile] => [
    path,
    { type, text: Buffer.from(content) },
  ]);
  await deploySecurely(source, 'a.test', Object.fromEntries(deployed));
  for (const [name, manifest] of source.manifests) {
    source.manifests.set(name, { ...manifest, contentSecurityPolicy });
  }
  const { httpsPort } = await startSecureEdge(t, { source });

  const browser = await startBrowser(t, { args: ['--host-resolver-rules=MAP *.test 127.0.0.1'] });
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await page.goto(`https://a.test:${httpsPort}/reference/operations/get-bikes`);
  await page.getByRole('button', { name: 'Try it' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Send' }).click();
  const notice = panel.getByRole('alert');
  await notice.waitFor();
  assert.equal(
    await notice.textContent(),
    `The browser sends nothing from this page to ${server}: the page came over HTTPS and the API is asked over HTTP (mixed content). The API has to be reachable over HTTPS.`,
  );
  assert.equal(asked, 0);

  await panel.getByLabel('Server').selectOption(`http://127.0.0.1:${port}`);
  await panel.getByRole('button', { name: 'Send' }).click();
  await panel.getByText(/200 OK/).waitFor();
  assert.equal(asked, 1);
});
