import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Page, screenshot, startBrowser, watch } from '@petstore/test-support/browser.ts';
import { cleanUp, type Ending, FILE } from '@petstore/test-support/clean-up.ts';
import { onceForFile } from '@petstore/test-support/once-for-file.ts';
import { finished, type Program, startProgram } from '@petstore/test-support/program.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { DASHBOARD, dashboard } from '../support/dashboard-program.ts';
import { largeDocument } from '../support/large-document.ts';

const PARCELS = fileURLToPath(new URL('../deploys/guides/fixtures/parcels', import.meta.url));

interface RunningDev extends Program {
  readonly origin: string;
  /** Waits for a line of the terminal, behind those that were waited for before. */
  said(line: RegExp): Promise<string>;
  /** How many pages each of the builds has that the terminal told of. */
  builds(): number[];
}

/** Starts `dashboard dev` and waits until it says where the site is. */
async function startDev(t: Ending, path: string, ...options: string[]): Promise<RunningDev> {
  const args = [DASHBOARD, 'dev', path, '--port', '0', ...options];
  const program = startProgram(t, process.execPath, args, dirname(path));
  let read = 0;
  const said = async (line: RegExp): Promise<string> => {
    let found: RegExpExecArray | null = null;
    await timeUntil(async () => {
      const { exitCode } = program.child;
      assert.equal(exitCode, null, program.output.stdout + program.output.stderr);
      found = line.exec(program.output.stdout.slice(read));
      return found !== null;
    });
    const { index, 0: text } = found as unknown as RegExpExecArray;
    read += index + text.length;
    return text;
  };
  const from = program.output;
  await timeUntil(async () => {
    assert.equal(program.child.exitCode, null, from.stdout + from.stderr);
    return /^ {2}http:\/\/localhost:\d+$/m.test(from.stdout);
  });
  const [, origin = ''] = /^ {2}(http:\/\/localhost:\d+)$/m.exec(from.stdout) ?? [];
  const builds = () =>
    [...from.stdout.matchAll(/uilt in [\d.]+ s: (\d+) pages/g)].map(([, pages]) => Number(pages));
  return { ...program, origin, said, builds };
}

/** A copy of a folder with guides and a document. */
async function parcels(t: Ending): Promise<string> {
  const folder = join(await temporaryFolder(t), 'parcels');
  await cp(PARCELS, folder, { recursive: true });
  return folder;
}

/**
 * A folder that is served for several tests: to start the program takes a second of a core each time. Each test leaves it
 * with a site that can be built.
 */
const shared = onceForFile(async () => {
  const folder = await parcels(FILE);
  await writeFile(join(folder, 'start.md'), '# Start\n');
  return { folder, dev: await startDev(FILE, folder) };
});

/** Writes a file as editors do: another one takes the place of the old one, so that it is seen whole or not at all. */
async function save(path: string, text: string): Promise<void> {
  const unseen = join(await aside(), basename(path));
  await writeFile(unseen, text);
  await rename(unseen, path);
}

/** A folder that nobody watches. */
const aside = onceForFile(() => temporaryFolder(FILE));

async function openPage(t: TestContext, address: string) {
  const browser = await startBrowser(t);
  const page = await (await browser.newContext()).newPage();
  const watched = watch(page);
  await page.goto(address);
  return { page, watched };
}

/** Waits until the box with problems says something. */
async function isTold(page: Page, text: RegExp): Promise<void> {
  await page.locator('dev-problems [role=alert]').filter({ hasText: text }).waitFor();
}

/** Waits until the page, which may be loaded anew meanwhile, is scrolled so far. */
async function isScrolledTo(page: Page, top: number): Promise<void> {
  await timeUntil(async () => (await page.evaluate('scrollY').catch(() => undefined)) === top);
}

const LONG = Array.from({ length: 80 }, (_, at) => `Paragraph ${at}.`).join('\n\n');

test('a page follows its file, shows what is wrong, and keeps its place', async (t) => {
  const folder = await parcels(t);
  const start = join(folder, 'start.md');
  await save(start, `# Start\n\n${LONG}\n`);
  const dev = await startDev(t, folder);
  assert.match(dev.output.stdout, /Built in [\d.]+ s: \d+ pages, \d+ operations?/);
  const { page, watched } = await openPage(t, `${dev.origin}/start`);
  await page.evaluate('window.scrollTo(0, 900)');
  await isScrolledTo(page, 900);

  await save(start, `# Start\n\n${LONG}\n\nNow with an end.\n`);
  await page.getByText('Now with an end.').waitFor();
  await dev.said(/Rebuilt in [\d.]+ s: \d+ pages/);
  await isScrolledTo(page, 900);

  // What is wrong stands over the last good site, with its file and line.
  await save(start, `# Start\n\n[Nowhere](nowhere.md)\n\n${LONG}\n`);
  await isTold(page, /start\.md:3.*nowhere\.md/s);
  await dev.said(/^start\.md:3: .*nowhere\.md[\s\S]*Not built: 1 problem\.$/m);
  assert.ok(await page.getByText('Now with an end.').isVisible());
  await screenshot(page, 'screenshots/dev-problems.png');
  // It can be put away, until something else is wrong.
  const problem = page.locator('dev-problems li');
  await page.getByRole('button', { name: 'Hide' }).click();
  await problem.waitFor({ state: 'hidden' });
  await save(start, `# Start\n\n[Nowhere](elsewhere.md)\n\n${LONG}\n`);
  await problem.getByText('elsewhere.md').first().waitFor();
  await save(start, `# Start\n\n[Nowhere](nowhere.md)\n\n${LONG}\n`);
  await problem.getByText('nowhere.md').first().waitFor();
  // A page that is opened meanwhile has it, too.
  const { page: other } = await openPage(t, `${dev.origin}/`);
  await isTold(other, /start\.md:3/);

  await save(start, `# Start\n\nMended.\n`);
  await page.getByText('Mended.').waitFor();
  await page.locator('dev-problems').waitFor({ state: 'detached' });
  await other.locator('dev-problems').waitFor({ state: 'detached' });
  assert.deepEqual(watched.complaints, []);
});

test('saves by rename, new folders, removals and moves are seen; what a deploy leaves out is not', async () => {
  const { folder, dev } = await shared();
  const read = async (path: string) => {
    const response = await fetch(dev.origin + path);
    return { status: response.status, text: await response.text() };
  };
  const shows = (path: string, text: string) =>
    timeUntil(async () => (await read(path)).text.includes(text));
  const isGone = (path: string) => timeUntil(async () => (await read(path)).status === 404);

  // As editors save: another file takes the place of the old one.
  await writeFile(join(folder, 'start.md.tmp'), '# Start\n\nSaved by rename.\n');
  await rename(join(folder, 'start.md.tmp'), join(folder, 'start.md'));
  await shows('/start', 'Saved by rename.');

  await mkdir(join(folder, 'new/deep'), { recursive: true });
  await writeFile(join(folder, 'new/deep/page.md'), '# Deep\n\nFirst.\n');
  await shows('/new/deep/page', 'First.');
  await writeFile(join(folder, 'new/deep/page.md'), '# Deep\n\nSecond.\n');
  await shows('/new/deep/page', 'Second.');
  // A folder that takes the place of another one, as in a change of branches.
  await rm(join(folder, 'new'), { recursive: true });
  await mkdir(join(folder, 'new/deep'), { recursive: true });
  await writeFile(join(folder, 'new/deep/page.md'), '# Deep\n\nThird.\n');
  await shows('/new/deep/page', 'Third.');
  await writeFile(join(folder, 'new/deep/page.md'), '# Deep\n\nFourth.\n');
  await shows('/new/deep/page', 'Fourth.');
  await rename(join(folder, 'new'), join(folder, 'moved'));
  await shows('/moved/deep/page', 'Fourth.');
  await isGone('/new/deep/page');
  await rm(join(folder, 'moved'), { recursive: true });
  await isGone('/moved/deep/page');

  // Left out, so nothing is built for these: the next build is that of the page after them.
  // The terminal is another way than the site: it tells of all builds when it tells of that without the page.
  await timeUntil(async () => dev.builds().at(-1) === dev.builds()[0]);
  const before = dev.builds().length;
  await mkdir(join(folder, 'node_modules/pkg'), { recursive: true });
  await writeFile(join(folder, 'node_modules/pkg/README.md'), '# No page\n');
  await writeFile(join(folder, '.start.md.swp'), 'x');
  await save(join(folder, 'start.md'), '# Start\n\nAfter them.\n');
  await shows('/start', 'After them.');
  await timeUntil(async () => dev.builds().length > before);
  assert.equal(dev.builds().length, before + 1);
  await isGone('/node_modules/pkg/README');

  // The whole folder goes, and comes back.
  await rename(folder, `${folder}-away`);
  await dev.said(/cannot be read: there is no such file or folder/);
  await rename(`${folder}-away`, folder);
  await writeFile(join(folder, 'start.md'), '# Start\n\nBack again.\n');
  await shows('/start', 'Back again.');
});

test('pages of other origins can read nothing of it', async (t) => {
  const { dev } = await shared();
  const other = createServer((_, response) => response.end('Another site')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  cleanUp(t, () => other.close());
  const { port } = other.address() as AddressInfo;
  const { page } = await openPage(t, `http://127.0.0.1:${port}/`);
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const read = (address: string, options: object = {}) =>
    page.evaluate(
      ([to, init]) =>
        fetch(to, init).then(
          (response) => response.text(),
          () => undefined,
        ),
      [address, options] as const,
    );
  for (const path of ['/openapi.json', '/openapi.yaml', '/llms.txt', '/start.md', '/_dev/events']) {
    // Once prepared, files are answered on a shorter way.
    for (const time of ['first', 'second'])
      assert.equal(await read(dev.origin + path), undefined, `${path}, the ${time} time`);
  }
  assert.equal((await fetch(`${dev.origin}/openapi.json`)).status, 200);
  assert.equal(await read(`${dev.origin}/mcp`, { method: 'POST', body: message }), undefined);
  assert.equal(await read(`${dev.origin}/mcp`), undefined);
});

test('many changes at once are one build', async () => {
  const { folder, dev } = await shared();
  const [pages = 0] = dev.builds();
  // When the terminal tells of this one, it has told of all builds of before.
  await save(join(folder, 'one.md'), '# One\n');
  await timeUntil(async () => dev.builds().at(-1) === pages + 1);
  const before = dev.builds().length;
  // The program sees them at once, as a change of branches, however slow this machine makes them.
  const names = Array.from({ length: 60 }, (_, at) => `many-${at}.md`);
  dev.child.kill('SIGSTOP');
  for (const name of names) await save(join(folder, name), `# ${name}\n\nText.\n`);
  dev.child.kill('SIGCONT');
  await timeUntil(async () => dev.builds().length > before);
  assert.deepEqual(dev.builds().slice(before), [pages + 61]);
  const page = await fetch(`${dev.origin}/many-59`);
  assert.equal(page.status, 200);
});

/** Much shorter than a build, in milliseconds. */
const PAUSE_MS = 20;

test('a change during a build is built as well', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'openapi.json');
  const version = async (at: number) => {
    await writeFile(`${file}.tmp`, JSON.stringify(largeDocument(40, `No. ${at}.`)));
    await rename(`${file}.tmp`, file);
  };
  await version(0);
  const dev = await startDev(t, folder);
  // Until the first build has ended, so that the last changes come while it is under way.
  let at = 0;
  while (!dev.output.stdout.includes('Rebuilt')) {
    at += 1;
    await version(at);
    assert.equal((await fetch(dev.origin)).status, 200);
    await sleep(PAUSE_MS);
  }
  await timeUntil(async () => (await (await fetch(dev.origin)).text()).includes(`No. ${at}.`));
});

test('it serves as the edge does: redirects, Markdown, types, policy, a page for what is missing', async () => {
  const { folder, dev } = await shared();
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(dev.origin + path, { headers, redirect: 'manual' });
  const page = await get('/');
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const markdown = await get('/', { accept: 'text/markdown' });
  assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/);
  assert.equal(await markdown.text(), await readFile(join(folder, 'index.md'), 'utf8'));
  const lost = await get('/nothing/here');
  assert.equal(lost.status, 404);
  assert.match(await lost.text(), /Page not found/);
  assert.match(await (await get('/llms.txt')).text(), new RegExp(dev.origin));
  const { port } = new URL(dev.origin);
  const byAddress = await fetch(`http://127.0.0.1:${port}/start?a=b`, { redirect: 'manual' });
  assert.equal(byAddress.status, 307);
  assert.equal(byAddress.headers.get('location'), `${dev.origin}/start?a=b`);
});

test('a document alone, warnings with --strict, and a document that cannot be published', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'openapi.yaml');
  const documentOf = (version: string) =>
    `openapi: 3.1.0\ninfo:\n  title: Pets\n  version: ${version}\npaths: {}\n`;
  await writeFile(file, documentOf('1.0'));
  const dev = await startDev(t, file, '--strict');
  // Nothing could be built yet: the address says so, and follows.
  assert.match(dev.output.stdout, /^openapi\.yaml:4: warning: .*\(\/info\/version\)$/m);
  const { page } = await openPage(t, `${dev.origin}/`);
  await isTold(page, /openapi\.yaml:4.*\/info\/version/s);
  await writeFile(`${file}~`, documentOf("'1.0'"));
  await rename(`${file}~`, file);
  await page.getByRole('heading', { name: 'Pets' }).first().waitFor();
  await writeFile(file, 'openapi: 3.1.0\ninfo: [\n');
  await isTold(page, /openapi\.yaml/);
});

test('the files that a document refers to are watched, too', async (t) => {
  const folder = await temporaryFolder(t);
  // Those of its repository, too.
  await mkdir(join(folder, '.git'));
  await mkdir(join(folder, 'api'));
  await mkdir(join(folder, 'shared'));
  const file = join(folder, 'api/openapi.yaml');
  const pathOf = (summary: string) =>
    `get:\n  operationId: list\n  summary: ${summary}\n  responses: {'200': {description: Yes.}}\n`;
  await writeFile(join(folder, 'shared/pets.yaml'), pathOf('List pets'));
  await writeFile(
    file,
    "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    $ref: ../shared/pets.yaml\n",
  );
  const dev = await startDev(t, file);
  const shows = (text: string) =>
    timeUntil(async () => {
      const response = await fetch(`${dev.origin}/reference/operations/list`);
      return (await response.text()).includes(text);
    });
  await shows('List pets');
  await writeFile(join(folder, 'shared/pets.yaml'), pathOf('List all of the pets'));
  await shows('List all of the pets');
});

test('what cannot be served is said in a sentence, and Ctrl-C ends with 0', async (t) => {
  const folder = await temporaryFolder(t);
  const run = (...args: string[]) => dashboard(folder, ['dev', ...args]);
  const missing = await run('nothing', '--port', '0');
  assert.deepEqual([missing.code, missing.stdout], [1, '']);
  assert.equal(
    missing.stderr,
    'dashboard: nothing cannot be read: there is no such file or folder.\n',
  );
  assert.match((await run('.', '--port', '70000')).stderr, /a number from 0 to 65535/);

  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const inUse = await run('.', '--port', `${port}`);
  assert.equal(inUse.code, 1);
  assert.match(inUse.stderr, new RegExp(`Port ${port} is in use by another program\\.`));

  // An empty folder waits for what is to come.
  await mkdir(join(folder, 'empty'));
  const dev = await startDev(t, join(folder, 'empty'));
  assert.match(
    dev.output.stdout,
    /empty: The archive has neither a `docs\.yaml` nor an OpenAPI document/,
  );
  await writeFile(join(folder, 'empty/docs.yaml'), 'title: New\n');
  await writeFile(join(folder, 'empty/start.md'), '# Start\n\nHello.\n');
  await dev.said(/built in [\d.]+ s: 2 pages\./i);

  const events = await fetch(`${dev.origin}/_dev/events`);
  assert.equal(events.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  dev.child.kill('SIGINT');
  assert.equal((await finished(dev)).code, 0);
  await events.text().catch(() => '');
});
