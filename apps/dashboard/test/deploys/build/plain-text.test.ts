import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefix, truncate } from '@petstore/service/text.ts';
import { listOperations } from '@petstore/site/openapi/operations.ts';
import { plainText } from '@petstore/site/openapi/plain-text.ts';
import { connectOrigins } from '@petstore/site/request/connect-origins.ts';
import { coverNothing } from '@petstore/test-support/program.ts';
import { assertWithin, cpuTimeOf, timeOf } from '@petstore/test-support/within.ts';
import { buildInMemory, built, textOf } from '../../support/build-site.ts';

coverNothing();

const LENGTH = 1_000_000;
const many = (text: string) => text.repeat(LENGTH / text.length);
const numbered = (line: (at: number) => string) =>
  Array.from({ length: LENGTH / 20 }, (_, at) => line(at)).join('\n');

const HOSTILE: Record<string, string> = {
  'marks of emphasis': many('*_'),
  'emphasis that nothing opens': many('a**'),
  brackets: many('['),
  images: many('![['),
  links: many('[a]('),
  quotes: many('>'),
  'nested items': many('- '),
  'nested numbers': many('1. '),
  tags: many('<'),
  comments: many('<!--'),
  autolinks: many('<http://a.b>'),
  backticks: Array.from({ length: 1_400 }, (_, at) => `${'`'.repeat(at)} `).join(''),
  entities: many('&amp'),
  'a table': `|a|\n|-|\n${many('|x')}`,
  definitions: numbered((at) => `[a${at}]: /x`),
  headings: many('a\n===\n'),
  items: many('- a\n'),
  'nested deeper with each line': Array.from(
    { length: 1_400 },
    (_, at) => `${' '.repeat(at)}- a`,
  ).join('\n'),
};

test('a megabyte of any marks is made plain in little time', async () => {
  for (const [name, text] of Object.entries(HOSTILE)) {
    await assertWithin(1_000, () => cpuTimeOf(() => plainText().of(text)), name);
  }
});

test('a document whose descriptions are all marks is built soon, and its log tells', async () => {
  const operation = (at: number) => [
    `/${at}`,
    { get: { description: '*_'.repeat(20_000), responses: { 200: { description: 'x' } } } },
  ];
  const document = {
    openapi: '3.1.0',
    info: { title: 'Marks', version: '1', description: '*_'.repeat(20_000) },
    paths: Object.fromEntries(Array.from({ length: 30 }, (_, at) => operation(at))),
  };
  const bytes = Buffer.from(JSON.stringify(document));
  const lines: string[] = [];
  await assertWithin(10_000, () =>
    timeOf(async () => {
      lines.length = 0;
      const log = ({ message }: { message: string }) => lines.push(message);
      const result = await buildInMemory({ kind: 'document', bytes, name: 'x' }, log);
      assert.ok('artifact' in result, JSON.stringify(result));
    }),
  );
  const told = lines.filter((line) => /^The description has very many marks/.test(line));
  assert.equal(told.length, 30);
});

test('thousands of operations with one name, and braces that nothing closes, take little time', async () => {
  const info = { title: 'Names', version: '1' };
  const paths = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      `/${at}`,
      { get: { operationId: '-'.repeat((at % 50) + 1), responses: {} } },
    ]),
  );
  const document = { openapi: '3.1.0', info, paths };
  await assertWithin(2_000, () => cpuTimeOf(() => listOperations(document, plainText())), 'names');
  const ids = listOperations(document, plainText()).map(({ id }) => id);
  assert.equal(new Set(ids).size, 20_000);
  assert.deepEqual(ids.slice(0, 3), ['operation', 'operation-2', 'operation-3']);

  const braces = { openapi: '3.1.0', info, paths: { [`/${'{'.repeat(200_000)}`]: { get: {} } } };
  const bytes = Buffer.from(JSON.stringify(braces));
  const build = () => buildInMemory({ kind: 'document', bytes, name: 'x.json' });
  await assertWithin(5_000, () => timeOf(build), 'braces');
});

test('a host that no name server knows is in no policy, however long', () => {
  const long = `${'a'.repeat(60)}.`.repeat(8_000);
  const servers = [`https://${long}test`, 'https://api.example.test/v1'].map((url) => ({ url }));
  const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, servers, paths: {} };
  assert.deepEqual(connectOrigins([document]), ['https://api.example.test']);
});

test('what is beyond the bounds stands as it was written', () => {
  const text = `*a* ${'*b* '.repeat(2_000)}end`;
  const plain = plainText();
  const made = plain.of(text, '/paths/~1a/get');
  assert.match(made, /^a b b b .*\*b\* \*b\* end$/);
  assert.equal(plain.of('*short*'), 'short', 'others are read');
  assert.deepEqual(plain.unread, ['/paths/~1a/get']);
});

const CHARACTERS = ['😀', '👨‍👩‍👧‍👦', '🇪🇺', 'e\u0301', '각'];

test('a text that is cut ends between two characters', async () => {
  for (const character of CHARACTERS) {
    for (let most = 0; most < 40; most++) {
      const cut = prefix(`ab${character.repeat(20)}`, most);
      assert.ok(cut.length <= most);
      assert.match(cut, new RegExp(`^a?$|^ab(?:${character})*$`, 'u'), `${character} ${most}`);
    }
  }
  assert.equal(truncate('😀😀', 3), '😀…');
  assert.equal(truncate('😀😀', 4), '😀😀');
  const endless = `a${'\u0301'.repeat(500)}😀`;
  assert.equal(prefix(endless, 300).length, 300);

  const description = `${'x'.repeat(298)}👨‍👩‍👧‍👦 and more`;
  const artifact = await built({
    openapi: '3.1.0',
    info: { title: 'T', version: '1', description },
    paths: {},
  });
  assert.match(textOf(artifact, '/'), /content="x{298}…"/);
});
