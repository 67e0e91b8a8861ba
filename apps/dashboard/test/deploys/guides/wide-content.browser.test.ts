import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Page,
  screenshot,
  seriousViolations,
  startBrowser,
  watch,
} from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// What is wider than a phone: it breaks, or scrolls in a box of its own that shows it, and the page never scrolls sideways.

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');

const PHONE = { width: 390, height: 844 };

const IS_NARROW = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';

const OVERFLOWS = `[...document.querySelectorAll('.table-box, .content pre')].map(
  (element) => getComputedStyle(element).overflowX,
)`;

const WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft';
const PATH = `/v1/organisations/{organisationIdentifier}/warehouses/${'a'.repeat(90)}`;
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0ae9d7a3f6e1c3b0a4d2f5e6c7b8a9';

const TABLE = `| Name | Type | Default | Since | Until | Description |
|---|---|---|---|---|---|
| \`booking.confirmation_window_seconds\` | integer | \`86400\` | 1.0.0 | 3.0.0 | How long a booking waits for its confirmation until it is given to others. |
| \`webhook.signature_algorithm\` | string | \`hmac-sha256\` | 2.1.0 | | Which algorithm signs what is sent to webhooks, as receivers were told. |
| \`${HASH}\` | string | | 2.4.0 | | ${WORD} |
`;

const GUIDE = `# Limits of ${WORD}

A line with \`${HASH}\`, ${WORD}, [a link](https://example.com/${HASH}) and https://example.com/${HASH}/${HASH}.

## Settings

${TABLE}
## Small

| Code | Meaning |
|---|---|
| 200 | Done |

## Middle

| Environment | Address | Retention |
|---|---|---|
| Production | eu-central.example.com | thirty-days |

## Right to left

| الاسم | النوع | ${WORD} |
|---|---|---|
| \`${HASH}\` | \`${HASH}\` | نعم |

- A list with a table

  ${TABLE.trim().split('\n').join('\n  ')}

> [!NOTE]
> ${WORD}
>
> ${TABLE.trim().split('\n').join('\n> ')}

\`\`\`sh
curl https://api.example.com${PATH}?with=${HASH}&and=${HASH}
\`\`\`

$$
a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + b_1 + b_2 + b_3 + b_4 + b_5 + b_6 + b_7 + b_8 + b_9 = c
$$
`;

const SCHEMA = {
  type: 'object',
  required: [HASH],
  description: TABLE,
  properties: {
    [HASH]: { type: 'string', enum: [HASH, WORD], default: HASH, pattern: `^${HASH}$` },
    [WORD]: { type: 'array', items: { $ref: `#/components/schemas/${WORD}` } },
    nested: {
      type: 'object',
      properties: { [WORD]: { type: 'object', properties: { [HASH]: { const: HASH } } } },
    },
    one: {
      oneOf: [
        { title: WORD, type: 'string' },
        { title: HASH, type: 'integer' },
      ],
    },
  },
};

const OPERATION = {
  operationId: WORD,
  summary: `Change the ${WORD}`,
  tags: [WORD],
  description: `${WORD}\n\n${TABLE}`,
  security: [{ [WORD]: [HASH] }],
  parameters: [
    { name: HASH, in: 'query', description: TABLE, schema: { type: 'string', enum: [HASH, WORD] } },
    { name: `X-${WORD}`, in: 'header', example: HASH, schema: { type: 'string' } },
  ],
  requestBody: { content: { [`application/vnd.${WORD}+json`]: { schema: SCHEMA } } },
  responses: {
    200: {
      description: `${WORD}\n\n${TABLE}`,
      headers: { [`X-${WORD}`]: { description: TABLE, schema: { type: 'string' } } },
      content: { 'application/json': { schema: SCHEMA, example: { [HASH]: HASH } } },
    },
    default: { description: WORD },
  },
  callbacks: { [WORD]: { [`{$request.body#/${HASH}}`]: { post: { responses: {} } } } },
};

const API = {
  openapi: '3.1.0',
  info: { title: `${WORD} API`, version: HASH, description: TABLE },
  servers: [{ url: `https://${WORD.slice(0, 60)}.example.com/${HASH}`, description: WORD }],
  tags: [{ name: WORD, description: TABLE }],
  paths: {
    [PATH]: {
      parameters: [
        { name: 'organisationIdentifier', in: 'path', required: true, schema: { type: 'string' } },
      ],
      put: OPERATION,
    },
  },
  webhooks: { [WORD]: { post: { ...OPERATION, operationId: `${WORD}Hook` } } },
  components: {
    schemas: { [WORD]: { ...SCHEMA, properties: { [HASH]: { type: 'string' } } } },
    securitySchemes: { [WORD]: { type: 'apiKey', in: 'header', name: `X-${WORD}` } },
  },
};

const CONFIG = `title: ${WORD}
openapi: openapi.json
announcement: { text: ${WORD} }
navigation:
  - index.md
  - title: ${WORD}
    pages: [limits.md]
links:
  footer: [{ title: ${WORD}, url: https://example.com }]
`;

const NOTE = `---\ndate: 2026-01-05\n---\n\n${WORD}\n\n${TABLE}`;

const site = onceForFile(async () => {
  const bytes = zipOf(
    Object.entries({
      'docs.yaml': CONFIG,
      'index.md': `# Start\n\n${TABLE}`,
      'limits.md': GUIDE,
      'openapi.json': JSON.stringify(API),
      'changelog/2026-01-05.md': NOTE,
    }).map(([name, content]) => ({ name, content })),
  );
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'site.zip' });
  assert.ok('artifact' in result, JSON.stringify('problems' in result && result.problems));
  const { artifact } = result;
  const paths = Object.entries(artifact.manifest.files)
    .filter(([path, { type }]) => type.startsWith('text/html') && !path.startsWith('/_assets/'))
    .map(([path]) => path.split('/').map(encodeURIComponent).join('/'));
  return { files: filesOf(artifact), paths };
});

async function serve(t: TestContext, javaScriptEnabled = true) {
  const { files, paths } = await site();
  const origin = await serveSite(t, files);
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: PHONE, javaScriptEnabled });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return { origin, paths, page, ...watch(page) };
}

interface ScrolledBox {
  scrollLeft: number;
  querySelectorAll(selector: string): Iterable<{ getBoundingClientRect(): { left: number } }>;
}

/** What a table shows of itself: how far it is scrolled, and whether it is a stop of the keyboard. */
const stateOf = (box: ReturnType<Page['locator']>) =>
  box.evaluate((element: { scrollLeft: number; role: string | null; tabIndex: number }) => ({
    left: element.scrollLeft,
    role: element.role,
    isStop: element.tabIndex === 0,
  }));

test('no page of a site scrolls sideways on a phone, whatever is in it', async (t) => {
  const { page, origin, paths, complaints } = await serve(t);
  for (const kind of ['/', '/404.html', '/_site/pages', '/changelog', '/limits', '/reference'])
    assert.ok(paths.includes(kind), kind);
  assert.ok(paths.length >= 12, `operations, webhooks, models and tags: ${paths}`);
  const wide: string[] = [];
  for (const path of paths) {
    await page.goto(origin + path);
    const name = `wide${path.replaceAll('/', '-').slice(0, 60)}.png`;
    await screenshot(page, join(SCREENSHOTS, name), { fullPage: true });
    // The page is whole, so that nothing has to be waited for.
    if (!(await page.evaluate(IS_NARROW))) wide.push(path);
  }
  assert.deepEqual(wide, []);
  assert.deepEqual(complaints, []);
});

test('a table that is too wide scrolls by the keyboard, and one that is not is no stop of it', async (t) => {
  const { page, origin } = await serve(t);
  await page.goto(`${origin}/limits`);
  const wide = page.getByRole('region', { name: 'Table: Settings' }).first();
  await wide.focus();
  assert.deepEqual(await stateOf(wide), { left: 0, role: 'region', isStop: true });
  await page.keyboard.press('ArrowRight');
  await timeUntil(async () => (await stateOf(wide)).left > 0);
  const small = page.getByRole('group', { name: 'Table: Small' });
  await small.waitFor();
  assert.equal((await stateOf(small)).isStop, false);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await screenshot(page, join(SCREENSHOTS, `wide-scrolled-${colorScheme}.png`));
    assert.deepEqual(await seriousViolations(page, { colorsOnly: colorScheme === 'dark' }), []);
  }

  // The names of rows stay where there is room beside them, and the box of long ones scrolls whole.
  const middle = page.getByRole('region', { name: 'Table: Middle' });
  for (const [box, stays] of [
    [middle, true],
    [wide, false],
  ] as const) {
    const lefts = await box.evaluate((element: ScrolledBox) => {
      element.scrollLeft = 40;
      const cells = [...element.querySelectorAll('tr > :first-child')];
      return cells.map((cell) => cell.getBoundingClientRect().left);
    });
    const [moved = 0] = lefts;
    const atRest = ((await box.boundingBox())?.x ?? 0) + 1;
    assert.equal(Math.abs(atRest - moved) < 1, stays, `${lefts} of ${atRest}`);
  }
  await middle.scrollIntoViewIfNeeded();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await screenshot(page, join(SCREENSHOTS, `wide-first-column-${colorScheme}.png`));
  }

  // On a desk one fits, without a reload.
  await page.setViewportSize({ width: 1_280, height: 900 });
  await page.getByRole('group', { name: 'Table: Middle' }).waitFor();

  // On paper nothing is left out.
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ media: 'print' });
  const ofTables = (await page.evaluate(OVERFLOWS)) as string[];
  assert.ok(ofTables.length > 3);
  assert.deepEqual([...new Set(ofTables)], ['visible']);
});

test('without a script every table is a stop of the keyboard', async (t) => {
  const { page, origin } = await serve(t, false);
  await page.goto(`${origin}/limits`);
  const wide = page.locator('.table-box').first();
  await wide.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await wide.getAttribute('tabindex'), '0');
  assert.equal(await wide.getAttribute('aria-label'), 'Table: Settings');
});
