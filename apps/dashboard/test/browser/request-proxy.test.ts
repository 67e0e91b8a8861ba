import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { seriousViolations } from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Project } from '../../server/src/projects/project.ts';
import { INSIDE, startApi } from '../edge/support/request-proxy.ts';
import { screenshot, sharedInstallation } from '../support/installation.ts';
import { FITS, VIEWS } from '../support/look.ts';
import { said } from '../support/said.ts';
import { deploy } from '../support/uploads.ts';

// APIs without CORS, tried on a deployed site: in a browser, through the edge.

const shared = sharedInstallation({
  DASHBOARD_SIGN_UP: 'open',
  DASHBOARD_REQUEST_PROXY: 'allow',
  DASHBOARD_REQUEST_PROXY_NETWORKS: INSIDE,
});

const documentOf = (api: string, tokens: string) => `openapi: 3.1.0
info: {title: Pets, version: '1'}
servers: [{url: '${api}/v1'}]
security: [{key: []}, {login: []}]
paths:
  /pets:
    put:
      operationId: putPets
      summary: Put pets
      requestBody:
        content: {application/json: {example: {id: 9007199254740993}}}
      responses: {'200': {description: The pets.}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
    login: {type: oauth2, flows: {clientCredentials: {tokenUrl: '${tokens}/token', scopes: {}}}}
`;

test('an API without CORS is tried through the site, once its owner and its reader want that', async (t) => {
  const { origin, member, visitor, site } = shared();
  const tokens = await startApi(t, (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"access_token":"granted","token_type":"Bearer"}'),
  );
  const api = await startApi(t, (_request, response) =>
    response
      .writeHead(201, 'Made', ['Content-Type', 'application/json', 'X-Two', 'a', 'x-two', 'b'])
      .end('{"id":9007199254740993}'),
  );
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Pets', slug: 'pets' });
  await deploy(owner, 'pets', documentOf(api.url, tokens.url));

  const { page } = await visitor();
  const host = new URL(site('pets')).host;
  const offer = page.getByRole('button', { name: `Send through ${host}` });
  const send = page.getByRole('button', { name: 'Send', exact: true });
  const notice = page.getByRole('alert');
  const open = async () => {
    await page.goto(`${site('pets')}/reference/operations/putPets`);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('X-Api-Key').fill('key');
  };
  await open();
  const direct = api.seen.length;
  const probed = page.waitForResponse((response) => response.url().endsWith('/_site/proxy'));
  await send.click();
  await notice.getByText('does not allow pages of').waitFor();
  assert.equal((await probed).status(), 404);
  assert.equal(await offer.count(), 0, 'the owner has not switched it on');

  await owner.page.goto(`${origin}/projects/pets/settings`);
  await owner.page.getByRole('switch', { name: 'Request proxy' }).click();
  await said(owner.page, 'The request proxy is on.');
  await screenshot(owner.page, 'request-proxy-settings');
  const { requestProxy } = await owner.call<Project>('GET', '/projects/pets');
  assert.equal(requestProxy, true);

  await open();
  await page.setViewportSize({ width: 360, height: 740 });
  await send.click();
  await offer.waitFor();
  // A phone shows the offer, which the panel scrolls to.
  await timeUntil(async () => {
    const { y = 0 } = (await offer.boundingBox()) ?? {};
    return y > 0 && y < 740;
  });
  await page
    .getByText('passes through this site\u2019s server, which keeps nothing')
    .last()
    .waitFor();
  await page.getByText('is up, but it does not allow pages of').waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  for (const { name, colorScheme, width } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 860 });
    assert.equal(await page.evaluate(FITS), true, name);
    await screenshot(page, `request-proxy-offer-${name}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  assert.ok(!api.seen.slice(direct).some(({ method }) => method === 'PUT'));
  await offer.click();
  await page.getByRole('status').filter({ hasText: `201 Made` }).waitFor();
  await page.getByText(`through ${host}`, { exact: true }).waitFor();
  assert.match(await page.getByLabel('Body of the response').innerText(), /9007199254740993/);
  const seen = api.seen.at(-1);
  assert.deepEqual(
    [seen?.method, seen?.url, seen?.headers['x-api-key'], seen?.headers.cookie],
    ['PUT', '/v1/pets', 'key', undefined],
  );
  assert.ok(String(seen?.body).includes('9007199254740993'));
  await page.getByText('Headers (4)').click();
  assert.deepEqual(await page.locator('.try-headers dt').allInnerTexts(), [
    ...['Content-Type', 'X-Two', 'x-two', 'Date'],
  ]);
  for (const { name, colorScheme, width } of VIEWS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 860 });
    await screenshot(page, `request-proxy-answer-${name}`);
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  assert.deepEqual(await seriousViolations(page), []);

  // The choice is for this visit, and the reader may take it back.
  const choice = page.getByRole('checkbox', { name: `Send through ${host}` });
  assert.equal(await choice.isChecked(), true);
  await choice.uncheck();
  await send.click();
  await offer.waitFor();
  await choice.check();

  await page.getByLabel('Sign in with').selectOption({ index: 1 });
  await page.getByLabel('Client ID').fill('client');
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText('There is a token.').waitFor();
  assert.equal(String(tokens.seen.at(-1)?.body), 'grant_type=client_credentials&client_id=client');
  await send.click();
  await page.getByRole('status').filter({ hasText: '201 Made' }).waitFor();
  assert.equal(api.seen.at(-1)?.headers.authorization, 'Bearer granted');

  // It is switched off meanwhile: nobody blames the API.
  await owner.call('PATCH', '/projects/pets', { requestProxy: false });
  await send.click();
  await notice.getByText(`The proxy of ${host} reports: `).waitFor();
});

test('tokens, forms and streams pass through it, and what breaks off is not called whole', async (t) => {
  const { member, visitor, site } = shared();
  const tokens = await startApi(t, (_request, response) => response.end('{"access_token":"t"}'));
  const { promise: streaming, resolve } = Promise.withResolvers<ServerResponse>();
  const api = await startApi(t, ({ url }, response) => {
    // Whether it is up is asked at other addresses.
    if (url !== '/v1/pets') return response.end('{}');
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 });
    response.write('first');
    resolve(response);
  });
  const owner = await member();
  await owner.call('POST', '/projects', { name: 'Streams', slug: 'streams' });
  const form = `  /form:
    post:
      operationId: postForm
      requestBody:
        content:
          multipart/form-data:
            schema: {type: object, properties: {file: {type: string, format: binary}}}
      responses: {'200': {description: OK}}
components:`;
  const document = documentOf(api.url, tokens.url).replace('components:', form);
  await deploy(owner, 'streams', document);
  await owner.call('PATCH', '/projects/streams', { requestProxy: true });

  const { page } = await visitor();
  const { host } = new URL(site('streams'));
  const open = async (operation: string) => {
    await page.goto(`${site('streams')}/reference/operations/${operation}`);
    await page.getByRole('button', { name: 'Try it' }).click();
  };
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await open('putPets');
  const choice = page.getByRole('checkbox', { name: `Send through ${host}` });
  assert.equal(await choice.isVisible(), false);
  await page.getByLabel('Sign in with').selectOption({ index: 1 });
  await page.getByLabel('Client ID').fill('client');
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText(`tick \u201cSend through ${host}\u201d above, and try again`).waitFor();
  await choice.check();
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText('There is a token.').waitFor();

  await send.click();
  const body = page.getByLabel('Body of the response');
  await body.filter({ hasText: /^first$/ }).waitFor();
  const upstream = await streaming;
  upstream.write(' second');
  await body.filter({ hasText: /^first second$/ }).waitFor();
  upstream.socket?.destroy();
  const alert = page.getByRole('alert');
  await alert.getByText(`The proxy of ${host} reports: ${api.url} closed the connection`).waitFor();

  await open('postForm');
  assert.equal(await choice.isVisible(), false, 'the choice ended with the visit');
  const bytes = Buffer.from([0, 255, 13, 10, 45]);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.bin', mimeType: 'application/x-a', buffer: bytes });
  await send.click();
  await page.getByRole('button', { name: `Send through ${host}` }).click();
  await page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
  const sent = api.seen.at(-1);
  const type = sent?.headers['content-type'] ?? '';
  assert.match(type, /^multipart\/form-data; boundary=/);
  const parts = await new Response(new Uint8Array(sent?.body ?? []), {
    headers: { 'content-type': type },
  }).formData();
  const file = parts.get('file');
  assert.ok(file instanceof File);
  assert.deepEqual([file.name, file.type], ['a.bin', 'application/x-a']);
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);

  const large = { name: 'a.bin', mimeType: 'application/x-a', buffer: Buffer.alloc(10_100_000) };
  await page.locator('input[type=file]').setInputFiles(large);
  await send.click();
  await alert.getByText(`The proxy of ${host} reports: A request has at most`).waitFor();
});
