import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '@petstore/http/html.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { readSource } from '../../src/openapi/read-document.ts';
import { modelContent } from '../../src/reference/model-content.ts';
import { contextOf, markdownOf } from '../markdown/context.ts';

/** A document with the name wherever an author chooses one: as JSON, in which it means no prototype. */
const textOf = (version: object) =>
  JSON.stringify({
    ...version,
    info: { title: 'Names', version: '1' },
    paths: {
      '/a': {
        get: {
          responses: {
            200: { description: 'Done', headers: { PROTO: { schema: { type: 'string' } } } },
          },
        },
      },
    },
    components: {
      schemas: {
        PROTO: { type: 'string', nullable: true },
        Holder: {
          type: 'object',
          required: ['PROTO'],
          properties: {
            PROTO: { type: 'string', description: 'A property of that name.', nullable: true },
            other: { $ref: '#/components/schemas/PROTO' },
          },
        },
      },
    },
  }).replaceAll('PROTO', '__proto__');

test('a name that means a prototype elsewhere is one like others, through every upgrade', async () => {
  for (const version of [{ openapi: '3.0.3' }, { openapi: '3.1.0' }]) {
    const bytes = Buffer.from(textOf(version));
    const checked = await readCheckedDocument(bytes, 'openapi.json', () => {});
    assert.ok('upgraded' in checked, JSON.stringify(checked));
    const text = JSON.stringify(checked.upgraded);
    assert.equal(text.match(/"__proto__":/g)?.length, 3, text);
    assert.ok(text.isWellFormed());
  }
  assert.equal(Object.hasOwn(Object.prototype, 'type'), false);

  const document = JSON.parse(textOf({ openapi: '3.0.3' }));
  const context = await contextOf(document);
  const { text: page } = modelContent(context, 'Holder', { aside: html``, users: [] });
  assert.match(page, /__proto__[\s\S]*A property of that name\./);
  assert.match(await markdownOf(document, '/reference/models/Holder.md'), /`__proto__`/);
});

/** What is read of YAML: its value, and the line of each place. */
function read(yaml: string) {
  const source = readSource(Buffer.from(yaml), 'openapi.yaml');
  assert.ok('value' in source, JSON.stringify(source));
  return source;
}

test('a name in YAML is the text that is written, whatever it looks like', async () => {
  const names = ['1.1', '1.10', '01', '0x10', '1e3', '.5', 'null', '~', 'true', 'on', '2020-01-01'];
  for (const head of ['', '%YAML 1.1\n---\n']) {
    const { value, lineOf } = read(`${head}${names.map((name) => `${name}: x\n`).join('')}`);
    assert.deepEqual(new Set(Object.keys(value as object)), new Set(names));
    for (const [at, name] of names.entries()) assert.equal(lineOf([name]), at + (head ? 3 : 1));
  }
  assert.deepEqual(read('a: &a {200: x, "201": y}\nb: {<<: *a, 3.0: z}').value, {
    a: { 200: 'x', 201: 'y' },
    b: { 200: 'x', 201: 'y', '3.0': 'z' },
  });

  const document = `openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /a:
    get:
      summary: A
      operationId: a
      responses:
        200:
          description: x
          content: {a/b: {schema: {$ref: '#/components/schemas/1.10'}}}
components:
  schemas:
    1.1: {type: object, properties: {01: {type: string}}}
    1.10: {type: string}
`;
  const found: unknown[] = [];
  const checked = await readCheckedDocument(Buffer.from(document), 'openapi.yaml', (line) =>
    found.push(line),
  );
  assert.ok('upgraded' in checked, JSON.stringify(checked));
  assert.deepEqual(
    found.filter((line) => 'rule' in (line as object)),
    [],
  );
  assert.deepEqual(checked.upgraded.components, {
    schemas: {
      1.1: { type: 'object', properties: { '01': { type: 'string' } } },
      '1.10': { type: 'string' },
    },
  });
});

test('what YAML has and JSON has not is the text that is written', () => {
  const { value } = read(
    'a: !!timestamp 2020-01-01\nb: !!binary "aGk="\nc: !!set {d: }\ne: !!str 12',
  );
  assert.deepEqual(value, { a: '2020-01-01', b: 'aGk=', c: { d: null }, e: '12' });
  assert.deepEqual(read('%YAML 1.1\n---\na: 2020-01-01\nb: !!binary aGk=').value, {
    a: '2020-01-01',
    b: 'aGk=',
  });
});
