import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { OperationData } from '../../src/request/operation-data.ts';
import { bundle, listen, type PageOptions, serveSite, style, textOf } from './panel-page.ts';

const SCREENSHOTS = join(import.meta.dirname, '../../../../node_modules/.cache/screenshots/panel');

/** A site with the panel of an operation of an API, and its page with the panel open. */
async function open(
  t: TestContext,
  data: Partial<OperationData> & Pick<OperationData, 'servers'>,
  options: PageOptions = {},
) {
  const origins = data.servers.map(({ url }) => url).filter((url) => url.startsWith('http'));
  const site = await serveSite(
    t,
    { method: 'GET', path: '/', title: 'Change a pet', ...data },
    { origins, ...options },
  );
  const browser = await startBrowser(t);
  const page = await (await browser.newContext()).newPage();
  const watched = watch(page);
  await page.goto(site);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('dialog').waitFor();
  return { page, site, ...watched };
}

/** An API that allows pages of other sites, and tells what was sent to it. */
async function echoApi(t: TestContext) {
  const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] =
    [];
  const url = await listen(t, async (request, response) => {
    allow(response);
    if (request.method === 'OPTIONS') return response.end();
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: await textOf(request),
    });
    response.setHeader('content-type', 'application/json');
    response.end('{"id":9007199254740993,"price":1.10,"tags":[]}');
  });
  return { url, seen };
}

function allow(response: ServerResponse) {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-trace, x-key');
  response.setHeader('access-control-allow-methods', '*');
}

const sender = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const send = (page: Page) => sender(page).click();
const answered = (page: Page) => page.getByRole('status').filter({ hasText: '200 OK' }).waitFor();
const answer = (page: Page) => page.getByLabel('Body of the response');

const PET: Partial<OperationData> = {
  method: 'PUT',
  path: '/pets/{petId}',
  parameters: [
    {
      name: 'petId',
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int64' },
      description: 'Which pet.',
    },
    { name: 'status', in: 'query', schema: { type: 'string', enum: ['available', 'sold'] } },
    {
      name: 'tags',
      in: 'query',
      explode: false,
      schema: { type: 'array', items: { type: 'string' } },
      example: '["a,b","c"]',
    },
    {
      name: 'filter',
      in: 'query',
      style: 'deepObject',
      schema: { type: 'object', properties: [{ name: 'size', schema: { type: 'integer' } }] },
    },
    { name: 'dry', in: 'query', schema: { type: 'boolean' } },
    { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
  ],
  body: {
    required: true,
    content: [
      {
        type: 'application/json',
        example: '{\n  "id": 9007199254740993,\n  "name": "Rex",\n  "own": {"a": 1.10}\n}',
        schema: {
          type: 'object',
          properties: [
            { name: 'id', required: true, schema: { type: 'integer', format: 'int64' } },
            { name: 'name', required: true, schema: { type: 'string' } },
            {
              name: 'tags',
              schema: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: [{ name: 'label', schema: { type: 'string' } }],
                },
              },
            },
            {
              name: 'owner',
              schema: {
                choices: [
                  {
                    title: 'Person',
                    type: 'object',
                    properties: [{ name: 'name', schema: { type: 'string' } }],
                  },
                  {
                    title: 'Shelter',
                    type: 'object',
                    properties: [{ name: 'town', schema: { type: 'string' } }],
                  },
                ],
              },
            },
            { name: 'vaccinated', schema: { type: 'boolean' } },
          ],
        },
      },
    ],
  },
};

test('parameters and a body from the form arrive as entered, with every digit, and so does the response', async (t) => {
  const api = await echoApi(t);
  const { page, complaints } = await open(
    t,
    {
      ...PET,
      servers: [{ url: `${api.url}/{version}`, variables: [{ name: 'version', default: 'v1' }] }],
    },
    { origins: [api.url] },
  );
  await send(page);
  await page.getByText('The path needs a value for petId.').waitFor();
  assert.equal(api.seen.length, 0);

  await page.getByLabel('version').fill('v2');
  await page.getByLabel(/petId/).fill('9223372036854775807');
  await page.getByLabel(/status/).selectOption('sold');
  await page.locator('details', { hasText: 'filter' }).locator('summary').click();
  await page.getByLabel(/size/).fill('3');
  await page.getByLabel(/X-Trace/).fill('x y');
  await page.getByLabel(/vaccinated/).selectOption('true');
  await page.keyboard.press('Control+Enter');
  await answered(page);
  const [sent] = api.seen;
  assert.equal(
    `${sent?.method} ${sent?.url}`,
    'PUT /v2/pets/9223372036854775807?status=sold&filter%5Bsize%5D=3',
  );
  assert.equal(sent?.headers['x-trace'], 'x y');
  assert.equal(sent?.headers['content-type'], 'application/json');
  assert.equal(
    sent?.body.replace(/\s/g, ''),
    '{"id":9007199254740993,"name":"Rex","vaccinated":true,"own":{"a":1.10}}',
  );
  // It is shown as it came at first.
  await timeUntil(async () => (await answer(page).textContent())?.includes('\n') ?? false);
  assert.equal(
    await answer(page).textContent(),
    '{\n  "id": 9007199254740993,\n  "price": 1.10,\n  "tags": []\n}',
  );
  await page.setViewportSize({ width: 1400, height: 900 });
  await screenshot(page, join(SCREENSHOTS, 'desk.png'));

  await page.getByRole('tab', { name: 'JSON' }).click();
  assert.match(await page.getByLabel('Body as JSON').inputValue(), /"vaccinated": true/);
  await page.getByLabel('Body as JSON').fill('{"id": 12345678901234567890}');
  await page.getByRole('tab', { name: 'Form' }).click();
  assert.equal(await page.getByLabel(/^id/).inputValue(), '12345678901234567890');
  assert.deepEqual(await seriousViolations(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await seriousViolations(page, { colorsOnly: true }), []);
  await screenshot(page, join(SCREENSHOTS, 'desk-dark.png'));
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  const columns = "document.querySelector('.try-columns')";
  assert.equal(await page.evaluate(`${columns}.scrollWidth <= ${columns}.clientWidth`), true);
  await screenshot(page, join(SCREENSHOTS, 'phone-dark.png'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate('document.activeElement.className'), 'ref-try');
  assert.deepEqual(complaints, []);
});

test('a double click and a held key send a request once, and do not cancel it', async (t) => {
  let asked = 0;
  let isPressed = Promise.withResolvers<void>();
  const url = await listen(t, async (_request, response) => {
    allow(response);
    asked += 1;
    await isPressed.promise;
    response.end('[]');
  });
  const text = { name: 'text', in: 'query', schema: { type: 'string' } } as const;
  const { page, complaints } = await open(t, { parameters: [text], servers: [{ url }] });
  const hold = async () => {
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
  };
  const ways: Record<string, () => Promise<void>> = {
    'double click': () => sender(page).dblclick(),
    'held Enter': () => page.getByLabel(/^text/).focus().then(hold),
    'held Ctrl+Enter': async () => {
      await page.keyboard.down('Control');
      await hold();
      await page.keyboard.up('Control');
    },
  };
  for (const [way, press] of Object.entries(ways)) {
    asked = 0;
    isPressed = Promise.withResolvers();
    await press();
    await timeUntil(async () => asked > 0);
    assert.equal(await page.getByText('Cancelled.').count(), 0, way);
    isPressed.resolve();
    await answered(page);
    // Until the whole response has been read, the next way would cancel it.
    await sender(page).waitFor();
    assert.equal(asked, 1, way);
  }
  assert.deepEqual(complaints, []);
});

test('forms, files and parts with media types are sent as the document says', async (t) => {
  const api = await echoApi(t);
  const schema = {
    type: 'object',
    properties: [
      { name: 'title', schema: { type: 'string' } },
      {
        name: 'meta',
        schema: { type: 'object', properties: [{ name: 'n', schema: { type: 'integer' } }] },
      },
      { name: 'photo', schema: { type: 'string', format: 'binary' } },
    ],
  } as const;
  const { page, complaints } = await open(t, {
    method: 'POST',
    path: '/upload',
    servers: [{ url: api.url }],
    body: {
      required: true,
      content: [
        {
          type: 'multipart/form-data',
          schema,
          encoding: [{ name: 'title', contentType: 'text/plain; charset=utf-8' }],
        },
        {
          type: 'application/x-www-form-urlencoded',
          schema: { ...schema, properties: schema.properties.slice(0, 2) },
        },
        { type: 'image/*' },
      ],
    },
  });
  const file = { name: 'a"b.png', mimeType: 'image/png', buffer: Buffer.from('PNG!') };
  const fill = async () => {
    await page.getByLabel(/title/).fill('x & y');
    await page.locator('details', { hasText: 'meta' }).locator('summary').click();
    await page.getByLabel(/^n /).fill('9007199254740993');
  };
  await fill();
  await page.getByLabel(/photo file/).setInputFiles(file);
  await page.getByLabel('Media type of photo').fill('image/x-own');
  await send(page);
  await answered(page);
  const { headers, body = '' } = api.seen[0] ?? {};
  const [, boundary = '?'] =
    /^multipart\/form-data; boundary=(\S+)$/.exec(headers?.['content-type'] ?? '') ?? [];
  assert.deepEqual(
    body.split(`--${boundary}`).map((part) => part.trim()),
    [
      '',
      'Content-Disposition: form-data; name="title"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nx & y',
      'Content-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"n":9007199254740993}',
      'Content-Disposition: form-data; name="photo"; filename="a%22b.png"\r\nContent-Type: image/x-own\r\n\r\nPNG!',
      '--',
    ],
  );

  await page
    .getByLabel('Media type', { exact: true })
    .selectOption('application/x-www-form-urlencoded');
  await fill();
  await send(page);
  await answered(page);
  assert.equal(api.seen[1]?.body, 'title=x+%26+y&meta=%7B%22n%22%3A9007199254740993%7D');

  await page.getByLabel('Media type', { exact: true }).selectOption('image/*');
  await page.getByLabel(/File/).setInputFiles(file);
  await send(page);
  await answered(page);
  assert.deepEqual(
    [api.seen[2]?.headers['content-type'], api.seen[2]?.body],
    ['image/png', 'PNG!'],
  );
  assert.deepEqual(complaints, []);
});

test('parts without names are sent as they are written, with their boundary', async (t) => {
  const api = await echoApi(t);
  const example = '--b\nContent-Type: text/plain\n\nHi\n--b--\n';
  const { page, complaints } = await open(t, {
    method: 'POST',
    path: '/upload',
    servers: [{ url: api.url }],
    body: {
      required: true,
      content: [{ type: 'multipart/mixed', schema: { type: 'array' }, example }],
    },
  });
  await send(page);
  await answered(page);
  assert.deepEqual(
    [api.seen[0]?.headers['content-type'], api.seen[0]?.body],
    ['multipart/mixed; boundary="b"', '--b\r\nContent-Type: text/plain\r\n\r\nHi\r\n--b--'],
  );
  assert.deepEqual(complaints, []);
});

const KEY: Partial<OperationData> = {
  security: [[['key']], []],
  schemes: [{ name: 'key', type: 'apiKey', in: 'header', key: 'X-Key' }],
};

test('a key is kept in the browser only where the reader asks for it, and forgotten at once', async (t) => {
  const api = await echoApi(t);
  const { page, site } = await open(t, { ...KEY, servers: [{ url: api.url }] });
  const stored = () => page.evaluate('({ ...localStorage })');
  await page.evaluate("localStorage.setItem('another', 'program')");
  const key = page.getByLabel(/^key/);
  const again = async () => {
    await page.goto(site);
    await page.getByRole('button', { name: 'Try it' }).click();
    return key.inputValue();
  };
  await key.fill('secret');
  await send(page);
  await answered(page);
  assert.equal(api.seen[0]?.headers['x-key'], 'secret');
  assert.deepEqual(await stored(), { another: 'program' });
  assert.equal(await again(), '');

  await key.fill('secret');
  await page.getByLabel('Remember my keys in this browser').check();
  assert.equal(await again(), 'secret');
  await page.getByLabel('Remember my keys in this browser').uncheck();
  assert.deepEqual(await stored(), { another: 'program' });
  assert.equal(await again(), '');

  await key.fill('secret');
  await page.getByLabel('Sign in with').selectOption('Nothing');
  await send(page);
  await answered(page);
  assert.equal(api.seen.at(-1)?.headers['x-key'], undefined);
});

test('a streamed response appears as it comes, and large, empty and binary ones are offered as what they are', async (t) => {
  let last: ServerResponse | undefined;
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const answers: Record<string, (response: ServerResponse) => void> = {
    stream: (response) => {
      last = response;
      response.setHeader('content-type', 'text/event-stream');
      response.write('data: {"n":9007199254740993}\n\n');
    },
    large: (response) => response.setHeader('content-type', 'text/plain').end('x'.repeat(900_000)),
    image: (response) => response.setHeader('content-type', 'image/png').end(png),
    binary: (response) => response.setHeader('content-type', 'application/zip').end('zip'),
    empty: (response) => response.writeHead(204).end(),
  };
  const url = await listen(t, (request, response) => {
    allow(response);
    answers[(request.url ?? '').slice(1)]?.(response);
  });
  const kind = { name: 'kind', in: 'path', required: true, schema: { type: 'string' } } as const;
  const { page, complaints } = await open(t, {
    path: '/{kind}',
    parameters: [kind],
    servers: [{ url }],
  });
  const ask = async (value: string) => {
    await page.getByLabel(/kind/).fill(value);
    await send(page);
  };
  await ask('stream');
  await answer(page).getByText('9007199254740993').waitFor();
  last?.write('data: second\n\n');
  await answer(page).getByText('second').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled.').waitFor();

  await ask('large');
  await page.getByText('Only the beginning is shown.').waitFor();
  const download = page.getByRole('link', { name: 'Download' });
  const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
  assert.equal(file.suggestedFilename(), 'large.txt');

  await ask('image');
  await page.getByRole('img').waitFor();
  await ask('binary');
  await page.getByText('A file of the type application/zip, 3 B.').waitFor();
  assert.equal(await download.getAttribute('download'), 'binary.zip');
  await ask('empty');
  await page.getByText('The body is empty.').waitFor();
  await page.getByText('204 No Content').waitFor();
  assert.deepEqual(complaints, []);
});

test('where no response comes the panel says who refused', async (t) => {
  const headers: Record<string, string> = {};
  const url = await listen(t, (_request, response) => response.writeHead(200, headers).end('[]'));
  const bearer = {
    security: [[['key']]],
    schemes: [{ name: 'key', type: 'http', scheme: 'bearer' }],
  } as const;
  const servers = [{ url }, { url: 'http://127.0.0.1:9' }, { url: 'http://blocked.example' }];
  const { page, site } = await open(
    t,
    { ...bearer, servers },
    { origins: [url, 'http://127.0.0.1:9'] },
  );
  const notice = page.getByRole('alert');
  await page.getByLabel(/^key/).fill('k');
  await send(page);
  await notice.waitFor();
  assert.equal(
    await notice.textContent(),
    `${url} is up, but it does not allow pages of ${site} (CORS). Its operator must send Access-Control-Allow-Origin: ${site} and Access-Control-Allow-Headers: authorization.`,
  );
  await screenshot(page, join(SCREENSHOTS, 'refused.png'));

  await page.getByLabel('Server').selectOption('http://127.0.0.1:9');
  await send(page);
  await notice.filter({ hasText: 'No response from http://127.0.0.1:9' }).waitFor();
  assert.match(String(await notice.textContent()), /it is down, its name is unknown/);
  assert.doesNotMatch(String(await notice.textContent()), /CORS|operator/);
  await screenshot(page, join(SCREENSHOTS, 'down.png'));

  await page.getByLabel('Server').selectOption('http://blocked.example');
  await send(page);
  await notice.filter({ hasText: "This page's policy" }).waitFor();
  assert.match(
    await notice.innerText(),
    /does not allow requests to http:\/\/blocked\.example\. Nothing was sent/,
  );

  await page.context().setOffline(true);
  await page.getByLabel('Server').selectOption(url);
  await send(page);
  await notice.filter({ hasText: 'this browser is offline' }).waitFor();
  await page.context().setOffline(false);

  Object.assign(headers, {
    'access-control-allow-origin': site,
    'access-control-allow-headers': 'authorization',
  });
  await send(page);
  await answered(page);
  assert.equal(await notice.count(), 0);
});

test('the proxy of the site is offered where it helps, which is not where a server is down', async (t) => {
  const up = await listen(t, (_request, response) => response.end('[]'));
  const servers = [{ url: up }, { url: 'http://127.0.0.1:9' }];
  const options = { origins: servers.map(({ url }) => url) };
  const data = { method: 'GET', path: '/', title: 'List', servers };
  const site = await serveSite(t, data, options, (_request, response) =>
    response.writeHead(204).end(),
  );
  const page = await (await startBrowser(t)).newPage();
  await page.goto(site);
  await page.getByRole('button', { name: 'Try it' }).click();
  const offer = page.getByRole('button', { name: /^Send through/ });
  await send(page);
  await offer.waitFor();
  await page.getByLabel('Server').selectOption('http://127.0.0.1:9');
  await send(page);
  await page.getByRole('alert').filter({ hasText: 'it is down' }).waitFor();
  assert.equal(await offer.count(), 0);
});

test('what is wrong or missing is said beside its field, and is sent all the same', async (t) => {
  const api = await echoApi(t);
  const { page, complaints } = await open(t, {
    method: 'POST',
    path: '/{kind}',
    servers: [{ url: api.url }],
    security: [[['bearer']]],
    schemes: [{ name: 'bearer', type: 'http', scheme: 'bearer' }],
    parameters: [
      { name: 'kind', in: 'path', required: true, schema: { type: 'string', max: '3' } },
      { name: 'limit', in: 'query', schema: { type: 'integer', min: '1', max: '100' } },
      {
        name: 'sizes',
        in: 'query',
        schema: { type: 'array', items: { type: 'integer' } },
        example: '["abc"]',
        required: true,
      },
    ],
    body: {
      content: [
        {
          type: 'application/json',
          example: '{"name":"Rex"}',
          schema: {
            type: 'object',
            properties: [
              { name: 'name', required: true, schema: { type: 'string', min: '2' } },
              {
                name: 'owner',
                schema: {
                  type: 'object',
                  properties: [
                    { name: 'town', required: true, schema: { type: 'string' } },
                    { name: 'street', schema: { type: 'string' } },
                  ],
                },
              },
            ],
          },
        },
        {
          type: 'multipart/form-data',
          schema: {
            type: 'object',
            properties: [
              { name: 'photo', required: true, schema: { type: 'string', format: 'binary' } },
            ],
          },
        },
      ],
    },
  });
  const needs = page.getByRole('status').filter({ hasText: 'This operation needs' });
  assert.equal(await needs.textContent(), 'This operation needs a token for “bearer”.');
  assert.equal(await page.locator('label', { hasText: 'bearer' }).innerText(), 'bearer');
  await page.getByLabel(/^bearer/).fill('t');
  await page.getByRole('status').filter({ hasText: 'This operation needs' }).waitFor({
    state: 'hidden',
  });
  await page.getByLabel(/^bearer/).fill('');

  /** The notes that can be read, each with the control that it describes. */
  const notes = () =>
    page.locator('.try-note:visible:not(:empty)').evaluateAll((all) =>
      all.map((one) => {
        const control = one.ownerDocument.querySelector(`[aria-describedby~="${one.id}"]`);
        return `${one.role} ${control?.localName}: ${one.textContent}`;
      }),
    );
  // An example that does not fit its schema is shown as JSON.
  assert.deepEqual(await notes(), ['status textarea: This is not an integer.']);
  await page.getByLabel(/^limit/).fill('abc');
  assert.equal((await notes())[0], 'status input: This is not an integer.');
  assert.equal(await page.locator('.try-item .try-needed').count(), 0);
  await page.getByLabel(/^limit/).fill('1000');
  await page.getByLabel(/^kind/).fill('four');
  assert.deepEqual(await notes(), [
    'status input: At most 3 characters: there are 4.',
    'status input: The maximum is 100.',
    'status textarea: This is not an integer.',
  ]);
  await page.getByLabel(/^name/).fill('');
  await page.getByLabel(/^limit/).fill('100');
  await page.getByLabel(/^sizes, item/).fill('7');
  await send(page);
  await answered(page);
  assert.equal(api.seen[0]?.url, '/four?limit=100&sizes=7');
  assert.equal(api.seen[0]?.headers.authorization, undefined);
  assert.deepEqual(await notes(), [
    'status input: At most 3 characters: there are 4.',
    'status input: A value is needed.',
  ]);
  // A member that is required is needed only where its object is sent.
  await page.locator('details', { hasText: 'owner' }).locator('summary').click();
  assert.equal((await notes()).length, 2);
  await page.getByLabel(/^street/).fill('High Street');
  assert.equal((await notes()).length, 3);
  await screenshot(page, join(SCREENSHOTS, 'notes.png'));
  assert.deepEqual(await seriousViolations(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await seriousViolations(page, { colorsOnly: true }), []);
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  await screenshot(page, join(SCREENSHOTS, 'notes-phone-dark.png'));

  await page.getByRole('tab', { name: 'JSON' }).click();
  const raw = page.getByLabel('Body as JSON');
  await raw.fill('{"name": "x",}');
  const isNoJson = page.getByRole('status').filter({ hasText: 'This is not JSON' });
  await isNoJson.waitFor();
  await page.getByRole('tab', { name: 'Form' }).click();
  assert.equal(await raw.isVisible(), true);
  await send(page);
  await answered(page);
  assert.equal(api.seen[1]?.body, '{"name": "x",}');
  await raw.fill('{"owner": {}}');
  assert.equal((await notes()).at(-1), 'status textarea: “name” is missing.');
  await raw.fill('{"name": "Rex", "owner": {"street": "s"}}');
  assert.equal((await notes()).at(-1), 'status textarea: owner: “town” is missing.');

  await page.getByLabel('Media type', { exact: true }).selectOption('multipart/form-data');
  await send(page);
  await answered(page);
  assert.equal((await notes()).at(-1), 'status input: A file is needed.');
  await page
    .getByLabel(/photo file/)
    .setInputFiles({ name: 'a', mimeType: 'image/png', buffer: Buffer.from('a') });
  assert.equal((await notes()).length, 1);
  assert.deepEqual(complaints, []);
});

test('a body begins with one of its examples, and is filled with another where the reader says so', async (t) => {
  const api = await echoApi(t);
  const text = { name: 'a', schema: { type: 'string' } } as const;
  const { page } = await open(t, {
    method: 'POST',
    servers: [{ url: api.url }],
    body: {
      required: true,
      content: [
        {
          type: 'application/json',
          example: '{"a":"one"}',
          examples: [{ name: 'One' }, { name: 'Elsewhere' }, { name: 'Two', text: '{"a":"two"}' }],
          schema: { type: 'object', properties: [text] },
        },
        { type: 'text/plain', example: 'plain' },
      ],
    },
  });
  const example = page.getByLabel('Example', { exact: true });
  assert.deepEqual(await example.locator('option').allTextContents(), ['One', 'Two']);
  assert.equal(await page.getByLabel(/^a/).inputValue(), 'one');
  await example.selectOption('Two');
  assert.equal(await page.getByLabel(/^a/).inputValue(), 'two');
  await send(page);
  await answered(page);
  assert.equal(api.seen[0]?.body.replace(/\s/g, ''), '{"a":"two"}');
  await page.getByLabel('Media type', { exact: true }).selectOption('text/plain');
  assert.equal(await example.count(), 0);
});

test('a service that serves its own reference is asked under the name in the address bar', async (t) => {
  const asked: string[] = [];
  const data = {
    method: 'GET',
    path: '/pets',
    title: 'List',
    servers: [{ url: 'http://localhost:1/v1' }],
  };
  const head = '<meta name="api-here" content="yes">';
  const site = await serveSite(t, data, { head }, (request, response) => {
    asked.push(request.url ?? '');
    response.end('[]');
  });
  const { port } = new URL(site);
  data.servers = [{ url: `http://localhost:${port}/v1` }];
  const page = await (await startBrowser(t)).newPage();
  await page.goto(site);
  await page.getByRole('button', { name: 'Try it' }).click();
  await send(page);
  await answered(page);
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/v1')),
    ['/v1/pets'],
  );
});

/** An authorization server that checks PKCE. It knows one code. */
async function authorizationServer(t: TestContext) {
  let challenge = '';
  let polls = 0;
  const forms: URLSearchParams[] = [];
  const json = (response: ServerResponse, value: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const url = await listen(t, async (request, response) => {
    allow(response);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://a');
    if (request.method === 'OPTIONS') return response.end();
    if (pathname === '/discovery') {
      return json(response, {
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
      });
    }
    if (pathname === '/authorize') {
      challenge = searchParams.get('code_challenge') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = String(
        new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' }),
      );
      // As authorization servers do, which cuts off `opener`.
      return response
        .writeHead(302, { location: back.href, 'cross-origin-opener-policy': 'same-origin' })
        .end();
    }
    const form = new URLSearchParams(await textOf(request));
    forms.push(form);
    if (pathname === '/device') {
      return json(response, {
        device_code: 'd',
        user_code: 'ABCD-1234',
        verification_uri: `${url}/verify`,
        interval: 1,
      });
    }
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (form.get('grant_type') === 'authorization_code' && hash !== challenge) {
      return json(response, { error: 'invalid_grant' }, 400);
    }
    if (form.has('device_code')) {
      polls += 1;
      if (polls === 1) return json(response, { error: 'authorization_pending' }, 400);
    }
    const kind = form.get('grant_type')?.replace(/.*:/, '');
    return json(response, {
      access_token: `token-${kind}`,
      refresh_token: 'r',
      expires_in: 3600,
      token_type: 'Bearer',
    });
  });
  return { url, forms };
}

test('tokens come by authorization code with PKCE, client credentials, device code, refresh and discovery', async (t) => {
  const api = await echoApi(t);
  const server = await authorizationServer(t);
  const { url } = server;
  const scopes = [['read', 'Read pets.'], ['write']] as const;
  const { page, complaints } = await open(
    t,
    {
      servers: [{ url: api.url }],
      security: [[['oauth', ['read']]], [['oidc']]],
      schemes: [
        {
          name: 'oauth',
          type: 'oauth2',
          flows: [
            {
              type: 'authorizationCode',
              authorizationUrl: `${url}/authorize`,
              tokenUrl: `${url}/token`,
              scopes,
            },
            { type: 'clientCredentials', tokenUrl: `${url}/token`, scopes },
            {
              type: 'deviceAuthorization',
              deviceAuthorizationUrl: `${url}/device`,
              tokenUrl: `${url}/token`,
              scopes,
            },
          ],
        },
        { name: 'oidc', type: 'openIdConnect', discovery: `${url}/discovery` },
      ],
    },
    { origins: [api.url, url] },
  );
  const used = async (token: string) => {
    await page.getByText('There is a token.').waitFor();
    await send(page);
    await answered(page);
    assert.equal(api.seen.at(-1)?.headers.authorization, `Bearer ${token}`);
  };
  await page.getByLabel('Client ID').fill('client');
  assert.equal(await page.getByLabel('read').isChecked(), true);
  assert.equal(await page.getByLabel('write').isChecked(), false);
  await page.setViewportSize({ width: 1400, height: 900 });
  await screenshot(page, join(SCREENSHOTS, 'oauth.png'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await used('token-authorization_code');
  assert.equal(server.forms[0]?.get('client_id'), 'client');
  assert.deepEqual(await seriousViolations(page), []);

  await page.getByRole('button', { name: 'Refresh it' }).click();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'hidden' });
  await used('token-refresh_token');

  await page.getByLabel('Flow').selectOption('Client credentials');
  await page.getByLabel(/Client secret/).fill('s');
  await page.getByRole('button', { name: 'Get a token' }).click();
  await used('token-client_credentials');
  assert.equal(server.forms.at(-1)?.get('scope'), 'read');

  await page.getByLabel('Flow').selectOption('Device authorization');
  await page.getByRole('button', { name: 'Get a token' }).click();
  await page.getByText('ABCD-1234').waitFor();
  await used('token-device_code');

  await page.getByLabel('Sign in with').selectOption('oidc');
  await page.getByRole('button', { name: 'Discover how to sign in' }).click();
  await page.getByLabel('Client ID').fill('client');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await used('token-authorization_code');
  assert.deepEqual(
    complaints.filter((text) => !/400/.test(text)),
    [],
  );
});

test('the panel and its styles have at most 30 kB', async () => {
  const sizes = [await bundle('panel/panel.ts'), style('styles/panel.css')].map(
    (text) => brotliCompressSync(text).length,
  );
  assert.ok(sizes.reduce((all, size) => all + size) < 30_000, String(sizes));
});
