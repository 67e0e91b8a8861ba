import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverNothing } from '@petstore/test-support/program.ts';
import { ENTRY_PATH, FILES_FOLDER } from '../../src/search/format.ts';
import { openIndex } from '../../src/search/open-index.ts';
import { search } from '../../src/search/search.ts';
import { searchFiles } from '../../src/search/search-files.ts';
import { guides, loaderOf, referenceOf, searcher } from './search-index.ts';

coverNothing();

const silent = () => undefined;

/** A document of very many operations, each with words of its own. */
function largeDocument(change = '') {
  const paths = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, at) => {
      const words = Array.from({ length: 12 }, (_, n) => `w${((at * 12 + n) * 7_919) % 99_991}x`);
      const operation = {
        operationId: `getThing${at}`,
        summary: `Get thing ${at}`,
        description: `${words.join(' ')} ${at === 700 ? change : ''}`,
        tags: [`Tag ${at % 20}`],
        responses: { 200: { description: 'Done' } },
      };
      return [`/things/${at}`, { get: operation }];
    }),
  );
  return { openapi: '3.1.0', info: { title: 'Large', version: '1' }, paths };
}

const filesOf = async (document: object) =>
  searchFiles({ pages: [], references: [await referenceOf(document)] }, silent);

test('the same content gives the same files, and a changed word changes few of them', async () => {
  const [before, again, after] = [
    await filesOf(largeDocument()),
    await filesOf(largeDocument()),
    await filesOf(largeDocument('sparrow')),
  ];
  assert.deepEqual(again, before);
  const known = new Set(before.map(({ path }) => path));
  const added = after.filter(({ path }) => !known.has(path));
  assert.ok(before.length > 15, `${before.length} files`);
  assert.ok(added.length <= 3, `${added.length} of ${before.length} files changed`);
});

test('a large index is cut into parts of which a query loads a few', async () => {
  const files = await filesOf(largeDocument());
  assert.ok(files.length <= 100, `${files.length} files`);
  for (const { path, content, immutable } of files) {
    const { length } = String(content);
    assert.ok(length <= 60_000, `${path} has ${length} letters`);
    assert.equal(immutable, path === ENTRY_PATH ? undefined : true);
  }
  const { load, loaded } = loaderOf(files);
  const index = await openIndex(load);
  const { rows } = await search(index, 'Get thing 1234', 20);
  assert.equal(rows[0]?.title, 'Get thing 1234');
  assert.ok(loaded.length < files.length / 2, `${loaded.length} of ${files.length} files`);
  const once = loaded.length;
  await search(index, 'get thing 1234', 20);
  assert.equal(loaded.length, once, 'what was loaded is kept');
});

test('details are loaded where they show what was found, and not for what a title has', async () => {
  const files = await filesOf(largeDocument());
  const entry = JSON.parse(String(files.find(({ path }) => path === ENTRY_PATH)?.content));
  const details = entry.details.map((name: string) => `${FILES_FOLDER}${name}.json`);
  const { load, loaded } = loaderOf(files);
  const index = await openIndex(load);
  const detailsOf = async (query: string) => {
    const before = loaded.length;
    const { rows } = await search(index, query, 20);
    assert.ok(rows.length > 0, query);
    return loaded.slice(before).filter((path) => details.includes(path));
  };
  for (const query of ['g', 'ge', 'get', 'get th']) {
    assert.deepEqual(await detailsOf(query), [], query);
  }
  assert.notDeepEqual(await detailsOf('w7919x'), [], 'a word of descriptions');
});

test('a file that cannot be loaded rejects the search, and is asked for again', async () => {
  const { load } = loaderOf(await filesOf(largeDocument()));
  let isDown = false;
  const index = await openIndex((path) =>
    isDown ? Promise.reject(new Error('offline')) : load(path),
  );
  isDown = true;
  await assert.rejects(search(index, 'thing', 20), /offline/);
  isDown = false;
  assert.equal((await search(index, 'thing 7', 20)).rows[0]?.title, 'Get thing 7');
});

test('of more text than is searched, each page is found by its headings and its beginning, and the log tells', async () => {
  // It is letters that count, and words that take time.
  const filling = `${'.'.repeat(900)} `.repeat(2_100);
  const [first, last] = await guides(
    ['first', 'last'].map(
      (word) =>
        `# The ${word} title\n\nThe ${word}beginning\n\n## A ${word}part\n\n${filling} ${word}end`,
    ),
  );
  const lines: string[] = [];
  const pages = [...Array(24).fill(first), last];
  const files = searchFiles({ pages, references: [] }, ({ message }) => lines.push(message));
  const find = await searcher(files);
  for (const words of ['last title', 'lastbeginning', 'lastpart'])
    assert.equal((await find(words))[0]?.title, 'The last title', words);
  assert.deepEqual(await find('lastend'), []);
  assert.match(
    lines.join(),
    /^There is more text than the search can hold: there are 50 pages and sections, .* the first 1,600,000 characters\.$/,
  );
});

test('of very many sections, pages are found as a whole, and none is left out', async () => {
  const parts = Array.from({ length: 30 }, (_, at) => `## Part ${at}\n\nAbout w${at}`).join('\n\n');
  const [page, last] = await guides([
    `# Page\n\n${parts}`,
    `# Last\n\n${parts}\n\nIn the zebra end`,
  ]);
  const lines: string[] = [];
  const pages = [...Array(1_000).fill(page), last];
  const files = searchFiles({ pages, references: [] }, ({ message }) => lines.push(message));
  const find = await searcher(files);
  assert.deepEqual(
    (await find('zebra')).map(({ title, href }) => [title, href]),
    [['Last', '/1']],
  );
  assert.match(
    lines.join(),
    /^The search finds pages as a whole: there are 31,031 pages and sections/,
  );
});
