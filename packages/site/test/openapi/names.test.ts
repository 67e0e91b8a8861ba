import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '@petstore/http/html.ts';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
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
