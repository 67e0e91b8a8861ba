import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Page, screenshot, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { built, filesOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

async function open(t: TestContext, document: object) {
  const artifact = await built(document);
  const origin = await serveSite(t, filesOf(artifact));
  const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
  const pages = Object.entries(artifact.manifest.files)
    .filter(([path, { type }]) => type.startsWith('text/html') && !path.endsWith('.html'))
    .map(([path]) => `${origin}${path.split('/').map(encodeURIComponent).join('/')}`);
  return { page, pages, origin, policy: artifact.manifest.contentSecurityPolicy, ...watch(page) };
}

const MARKUP = [
  '</script><script>window.hurt=1</script>',
  '<img src="https://elsewhere.example/a.png" onerror="window.hurt=2">',
  '"\'><svg onload=window.hurt=3></svg>',
  '<iframe srcdoc="<script>parent.hurt=4</script>"></iframe>',
  '[click](javascript:window.hurt=5)',
  '<a href="javascript:window.hurt=6">click</a>',
  '![logo](https://elsewhere.example/b.png)',
].join(' ');

/** The same in all places, each with a word of its own before it. */
const evil = (word: string) => `${word} ${MARKUP}`;

const LINK = { url: 'javascript:window.hurt=8', description: evil('docs') };

const MARKS = {
  'x-badges': [{ name: evil('badge'), color: evil('color') }],
  externalDocs: LINK,
};

const SCHEMA = {
  type: 'object',
  title: evil('title'),
  description: evil('schema'),
  required: [evil('property'), evil('missing')],
  properties: {
    [evil('property')]: {
      type: 'string',
      description: evil('about'),
      format: evil('format'),
      pattern: evil('pattern'),
      enum: [evil('one'), evil('two')],
      'x-enumDescriptions': { [evil('one')]: evil('value') },
      default: evil('one'),
      xml: { name: evil('xml'), prefix: evil('prefix'), namespace: evil('namespace') },
    },
    [`${evil('choice')}`]: {
      oneOf: [{ title: evil('first') }, { title: evil('second'), const: evil('constant') }],
    },
  },
  patternProperties: { [evil('names')]: { description: evil('pattern') } },
  additionalProperties: { 'x-additionalPropertiesName': evil('other'), description: evil('other') },
  example: { [evil('property')]: evil('example') },
  ...MARKS,
};

const CONTENT = {
  'application/json': {
    schema: { $ref: '#/components/schemas/Evil' },
    examples: { [evil('named')]: { summary: evil('summary'), value: evil('value') } },
  },
  'application/xml': { schema: SCHEMA },
  [evil('type')]: { schema: SCHEMA, example: evil('example') },
};

const RESPONSES = {
  200: {
    description: evil('response'),
    headers: { [evil('header')]: { description: evil('header'), schema: SCHEMA } },
    content: CONTENT,
    links: {
      [evil('link')]: {
        operationId: evil('operation'),
        description: evil('link'),
        parameters: { [evil('parameter')]: evil('expression') },
      },
    },
  },
};

const OPERATION = {
  operationId: evil('operation'),
  summary: evil('summary'),
  description: evil('description'),
  tags: [evil('tag')],
  parameters: ['query', 'header', 'cookie'].map((place) => ({
    name: evil(place),
    in: place,
    description: evil('parameter'),
    example: evil('example'),
    schema: { type: 'string', enum: [evil('allowed')] },
  })),
  requestBody: { description: evil('body'), content: CONTENT },
  responses: RESPONSES,
  callbacks: {
    [evil('callback')]: {
      [evil('expression')]: { post: { summary: evil('called'), responses: RESPONSES } },
    },
  },
  security: [{ key: [], oauth: [evil('scope')] }],
  servers: [
    {
      url: 'https://{host}.example',
      description: evil('server'),
      variables: {
        host: { default: evil('host'), enum: [evil('host')], description: evil('host') },
      },
    },
  ],
  'x-codeSamples': [{ lang: evil('lang'), label: evil('label'), source: evil('source') }],
  'x-stability': evil('stability'),
  ...MARKS,
};

const EVIL_EVERYWHERE = {
  openapi: '3.1.0',
  info: {
    title: evil('API'),
    version: evil('version'),
    summary: evil('summary'),
    description: evil('introduction'),
    termsOfService: 'javascript:window.hurt=9',
    contact: { name: evil('contact'), url: 'javascript:window.hurt=10', email: evil('mail') },
    license: { name: evil('licence'), url: 'javascript:window.hurt=11' },
  },
  servers: [{ url: evil('https://a.example/'), description: evil('server') }],
  tags: [{ name: evil('tag'), description: evil('tag'), 'x-displayName': evil('tag'), ...MARKS }],
  'x-tagGroups': [{ name: evil('group'), tags: [evil('tag')] }],
  externalDocs: LINK,
  paths: { [`/${evil('path')}`]: { post: OPERATION, description: evil('item') } },
  webhooks: { [evil('webhook')]: { post: { ...OPERATION, operationId: evil('hook') } } },
  components: {
    schemas: { Evil: SCHEMA },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: evil('key'), description: evil('key') },
      oauth: {
        type: 'oauth2',
        description: evil('oauth'),
        flows: {
          implicit: {
            authorizationUrl: 'javascript:window.hurt=12',
            scopes: { [evil('scope')]: evil('scope') },
          },
        },
      },
    },
  },
};

/** What a page must not have, whatever its document says. */
const FOREIGN = [
  'script:not([src^="/_assets/"]):not([type="application/json"])',
  'iframe, object, embed, form[action]:not([action="/_site/feedback"]), base, link[href^="http"], style',
  'img:not([src^="/"]):not([src^="data:"])',
  '[onerror], [onload], [onclick], [srcdoc]',
  '[href^="javascript:" i], [src^="javascript:" i], [action^="javascript:" i]',
].join(', ');

async function checkHarmless(page: Page, place: string): Promise<void> {
  const found = await page.locator(FOREIGN).evaluateAll((all) => all.map((one) => one.outerHTML));
  assert.deepEqual(found, [], place);
  assert.equal(await page.evaluate('window.hurt'), undefined, place);
}

test('markup in every text of a document stays text, in pages, in the panel and in the search', async (t) => {
  const opened = await open(t, EVIL_EVERYWHERE);
  const { page, pages, origin, policy, requests, complaints } = opened;
  assert.match(policy, /script-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|elsewhere|\*/);
  assert.ok(pages.length >= 7, pages.join('\n'));
  let panels = 0;
  for (const [at, address] of pages.entries()) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await checkHarmless(page, address);
    assert.equal(await page.getByRole('link', { name: 'click', exact: true }).count(), 0, address);
    if ((await page.locator('.ref-try').count()) > 0) {
      panels += 1;
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByRole('dialog').waitFor();
      await page.getByRole('button', { name: 'Get a token' }).click();
      await page.getByText(/is no address of an authorization server/).waitFor();
      await checkHarmless(page, `the panel at ${address}`);
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize({ width: 360, height: 740 });
    assert.ok(await page.evaluate(FITS), `${address} is too wide`);
    await screenshot(page, join(SCREENSHOTS, `evil-${at}.png`));
    await page.setViewportSize({ width: 1280, height: 900 });
  }
  assert.equal(panels, 1);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('summary');
  await page.locator('.search-result').first().waitFor();
  await checkHarmless(page, 'the search');
  assert.deepEqual(
    requests.filter((request) => !request.startsWith(`GET ${origin}/`)),
    [],
    'nothing is fetched from elsewhere',
  );
  assert.deepEqual(complaints, [], 'the policy has nothing to refuse');
});

const HEBREW = 'מחזיר את החיות (`GET /pets/{id}`) לפי `status`, ראו `listPets` (v1.2)!';
const ARABIC = 'يعيد قائمة الحيوانات من المسار `/pets/{id}/photos`، ثم 10 عناصر.';

const RIGHT_TO_LEFT = {
  openapi: '3.1.0',
  info: {
    title: 'واجهة الحيوانات API',
    version: '1',
    description: `${ARABIC}\n\n- ${HEBREW}\n- ${ARABIC}\n\n> ${HEBREW}\n\n|עמודה|code|\n|-|-|\n|ערך|x|`,
  },
  tags: [{ name: 'חיות', description: HEBREW }],
  paths: {
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        tags: ['חיות'],
        summary: 'מחזיר חיה אחת (v2).',
        description: `${HEBREW}\n\n- ${ARABIC}\n\n\`\`\`json\n{"a": 1}\n\`\`\``,
        parameters: [
          { name: 'petId', in: 'path', required: true, description: ARABIC, schema: {} },
          { name: 'סטטוס', in: 'query', description: HEBREW, schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: HEBREW,
            content: {
              'application/json': {
                schema: { properties: { الاسم: { type: 'integer', description: ARABIC } } },
              },
            },
          },
        },
      },
    },
  },
};

/** The left edge of each letter of the first place that has this text. */
function lettersOf(page: Page, selector: string, text: string): Promise<number[]> {
  return page
    .locator(selector)
    .filter({ hasText: text })
    .first()
    .evaluate((place) => {
      const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      const edges: number[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let at = 0; at < (node.textContent ?? '').length; at += 1) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          edges.push(range.getBoundingClientRect().left);
        }
      }
      return edges;
    });
}

test('texts of right-to-left scripts run in their own direction in a page that runs in its own', async (t) => {
  const { page, origin, requests, complaints } = await open(t, RIGHT_TO_LEFT);
  await page.goto(`${origin}/`);
  assert.equal(await page.evaluate('getComputedStyle(document.body).direction'), 'ltr');
  for (const block of ['ul', 'blockquote', 'table']) {
    const place = page.locator(`.ref-text ${block}`).first();
    assert.equal(await place.evaluate((one) => getComputedStyle(one).direction), 'rtl', block);
  }
  await screenshot(page, join(SCREENSHOTS, 'rtl-introduction.png'));

  await page.goto(`${origin}/reference/${encodeURIComponent('חיות')}/getPet`);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok(await page.evaluate(FITS), `${width}`);
    await screenshot(page, join(SCREENSHOTS, `rtl-operation-${width}.png`), { fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  const title = '(v2).';
  for (const place of ['h1', '.docs-nav a > span:last-child']) {
    const edges = await lettersOf(page, place, title);
    assert.ok((edges[0] ?? 0) > (edges.at(-1) ?? 0), `the full stop of ${place} is at its end`);
  }
  const line = await lettersOf(page, '.ref-line', '(v1.2)!');
  assert.ok((line[0] ?? 0) > (line[1] ?? 0), 'a response says its words from the right');

  // `GET /pets` in the middle of such a text keeps its order, and so does a name before its colon.
  const code = await lettersOf(page, '.ref-text code', '/pets/{id}/photos');
  assert.deepEqual(
    code,
    code.toSorted((a, b) => a - b),
  );
  const [nameEnd = 0, value = 0] = await page
    .locator('.ref-aside pre', { hasText: 'الاسم' })
    .last()
    .evaluate((place) =>
      [
        place.querySelector('.hljs-attr')?.getBoundingClientRect().right,
        place.querySelector('.hljs-number')?.getBoundingClientRect().left,
      ].map(Number),
    );
  assert.ok(
    nameEnd < value,
    `the value at ${value} stands after its name, which ends at ${nameEnd}`,
  );
  // The name of a parameter does not turn its type around.
  const row = page.locator('.ref-name', { hasText: 'סטטוס' });
  const [first, second] = await Promise.all(
    ['a', '.ref-type'].map((part) => row.locator(part).first().boundingBox()),
  );
  assert.ok(first && second && first.x < second.x);
  assert.deepEqual(
    requests.filter((request) => !request.startsWith(`GET ${origin}/`)),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('marks that turn text around end with the text that has them', async (t) => {
  const turned = 'a\u202eb\u2067c';
  const { page, pages } = await open(t, {
    openapi: '3.1.0',
    info: { title: turned, version: '1', description: turned },
    tags: [{ name: turned, description: turned }],
    paths: {
      '/pets': {
        get: {
          operationId: 'list',
          tags: [turned],
          summary: `List\nall\r\n${turned}\u0000`,
          description: turned,
          deprecated: true,
          parameters: [{ name: turned, in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: turned } },
        },
      },
    },
  });
  for (const address of pages) {
    await page.goto(address);
    assert.doesNotMatch(await page.title(), /[\u202a-\u202e\u2066-\u2069\n]/);
    // The words of the page itself, beside the names, run from left to right.
    for (const [selector, text] of [
      ['.ref-name .ref-type', 'string'],
      ['.ref-list code', '/pets'],
      ['.ref-address code', '/pets'],
      ['.docs-crumbs li:last-child a', 'abc'],
    ] as const) {
      if ((await page.locator(selector).count()) === 0) continue;
      const edges = await lettersOf(page, selector, text);
      assert.deepEqual(
        edges,
        edges.toSorted((a, b) => a - b),
        `${selector} at ${address}`,
      );
    }
  }
  await page.goto(pages.find((one) => one.endsWith('/list')) ?? '');
  const row = page.locator('.ref-name').first();
  const [name, type] = await Promise.all(
    ['a', '.ref-type'].map((part) => row.locator(part).first().boundingBox()),
  );
  assert.ok(name && type && name.x < type.x, 'the type stands after its name');
  assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /^List all abc$/);
});
