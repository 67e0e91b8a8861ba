import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seriousViolations, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { zipOf } from '../../support/archives.ts';
import { buildInMemory, filesOf } from '../../support/build-site.ts';
import { FITS } from '../../support/look.ts';
import { serveSite } from '../../support/serve-site.ts';

coverNothing();

// The components of guides as readers have them: by pointer, by keyboard, without scripts, on paper.

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const GUIDE = `---
title: Install
---

<Tabs>
  <Tab title="npm">
    Run npm.

    ## Deep heading

    Far below.
  </Tab>
  <Tab title="pnpm">
    Run pnpm. See [the heading](#deep-heading).
  </Tab>
</Tabs>

<CodeGroup>

\`\`\`js npm
console.log('npm');
\`\`\`

\`\`\`js pnpm {1} lines
console.log('pnpm'); // [!code ++]
\`\`\`

</CodeGroup>

<Tabs sync={false}>
<Tab title="npm">alone one</Tab>
<Tab title="pnpm">alone two</Tab>
</Tabs>

<Steps>
  <Step title="First">Do it.</Step>
  <Step title="Second">Do more.</Step>
</Steps>

<CardGroup cols={3}>
  <Card title="Welcome" href="/">Back to [the start](/index).</Card>
  <Card title="Plain" type="warning">Nothing to click.</Card>
  <Card title="Picture" img="/pixel.png" />
</CardGroup>

{% hint style="danger" %}
Mind the gap.
{% endhint %}

:::check[Done]
Well done.
:::

<AccordionGroup>
<Accordion title="Why">Because.</Accordion>
<Accordion title="How">So.</Accordion>
</AccordionGroup>

<Frame caption="A pixel">
![One pixel](/pixel.png)
</Frame>

The <Tooltip tip="What programs speak to">API</Tooltip> has <Badge color="green">new</Badge> things.

<ParamField query="limit" type="integer" default={20} required>
  How many.
</ParamField>

<Update label="May 2026" description="v2">
News.
</Update>

<Tree>
<Tree.Folder name="src">
<Tree.File name="a.ts" />
</Tree.Folder>
</Tree>

<iframe src="https://www.youtube.com/embed/abc" title="Tour"></iframe>

<Operation id="listBookings" />
`;

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Bookings', version: '1' },
  tags: [{ name: 'Bookings' }],
  paths: {
    '/bookings': {
      get: {
        operationId: 'listBookings',
        tags: ['Bookings'],
        summary: 'List bookings',
        description: 'All of them. In their order.',
        responses: { 200: { description: 'All.' } },
      },
    },
  },
};

const site = onceForFile(async () => {
  const bytes = zipOf([
    { name: 'docs.yaml', content: 'title: Bookings\n' },
    { name: 'index.md', content: '# Bookings\n\nWelcome.\n' },
    { name: 'install.mdx', content: GUIDE },
    { name: 'pixel.png', content: Buffer.from(PIXEL, 'base64') },
    { name: 'openapi.json', content: JSON.stringify(DOCUMENT) },
  ]);
  const result = await buildInMemory({ kind: 'zip', bytes, name: 'docs.zip' });
  assert.ok('artifact' in result, JSON.stringify(result));
  return filesOf(result.artifact);
});

async function open(t: TestContext, path: string, options: { javaScriptEnabled?: boolean } = {}) {
  const origin = await serveSite(t, await site());
  const browser = await startBrowser(t);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const watched = watch(page);
  await page.goto(origin + path);
  return { origin, page, ...watched };
}

test('tabs are chosen by pointer and keyboard, and those with the same titles together', async (t) => {
  const { page } = await open(t, '/install');
  const [first, code, alone] = [0, 1, 2].map((at) => page.locator('.tabs').nth(at));
  assert.ok(first && code && alone);
  assert.ok(await first.getByText('Run npm.').isVisible());
  assert.ok(!(await first.getByText('Run pnpm.').isVisible()));
  await first.getByText('pnpm', { exact: true }).click();
  assert.ok(await first.getByText('Run pnpm.').isVisible());
  assert.ok(await code.getByText("console.log('pnpm');").isVisible(), 'the same choice elsewhere');
  assert.ok(await alone.getByText('alone one').isVisible(), 'tabs that stand alone stay');

  await code.getByRole('radio', { name: 'pnpm' }).focus();
  await page.keyboard.press('ArrowLeft');
  assert.ok(await code.getByText("console.log('npm');").isVisible());
  assert.ok(await first.getByText('Run npm.').isVisible());
});

test('a link to a heading in a hidden tab chooses the tab', async (t) => {
  const { page, origin } = await open(t, '/install');
  await page.locator('.tabs').first().getByText('pnpm', { exact: true }).click();
  await page.getByRole('link', { name: 'the heading' }).click();
  await page.waitForURL(`${origin}/install#deep-heading`);
  await page.getByRole('heading', { name: 'Deep heading' }).waitFor();
});

test('without scripts tabs work, and on paper all is there', async (t) => {
  const { page } = await open(t, '/install', { javaScriptEnabled: false });
  const tabs = page.locator('.tabs').first();
  await tabs.getByText('pnpm', { exact: true }).click();
  assert.ok(await tabs.getByText('Run pnpm.').isVisible());
  await page.emulateMedia({ media: 'print' });
  for (const text of ['Run npm.', 'Run pnpm.', 'alone two', 'What programs speak to'])
    assert.ok(await page.getByText(text).first().isVisible(), text);
});

test('a tooltip is shown to the pointer and the keyboard', async (t) => {
  const { page } = await open(t, '/install');
  const tip = page.getByRole('tooltip');
  assert.equal(await tip.count(), 0);
  await page.getByText('API', { exact: true }).focus();
  await tip.waitFor();
  assert.equal(await tip.textContent(), 'What programs speak to');
});

test('a card leads where it says, and so do links in it, an operation and a video', async (t) => {
  const { page, origin, requests } = await open(t, '/install');
  const link = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href');
  assert.equal(await link('Welcome'), '/');
  assert.equal(await link('List bookings'), '/reference/bookings/listBookings');
  assert.equal(await link('Tour'), 'https://www.youtube.com/watch?v=abc');
  // The link lies above all of its card.
  await page.getByText('Back to').click({ position: { x: 2, y: 2 }, force: true });
  await page.waitForURL(`${origin}/`);
  for (const request of requests) assert.ok(request.includes(` ${origin}/`), request);
});

test('components are right for all who read them, in both themes, on a desk and on a phone', async (t) => {
  const { page } = await open(t, '/install');
  for (const width of [1280, 360])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      assert.ok(await page.evaluate(FITS), `scrolled sideways at ${width}`);
      const serious = await seriousViolations(page, { colorsOnly: colorScheme === 'dark' });
      assert.deepEqual(serious, [], `${width} ${colorScheme}`);
    }
});

test('the Markdown of a page is as its author wrote it', async (t) => {
  const { page, origin } = await open(t, '/install');
  const response = await page.request.get(`${origin}/install.md`);
  assert.equal(await response.text(), GUIDE);
});
