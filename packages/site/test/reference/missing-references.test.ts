import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCheckedDocument } from '../../src/openapi/checked-document.ts';
import { documentSite } from '../../src/reference/document-site.ts';
import { bytesOf } from '../../src/site/file-bytes.ts';

const silent = () => undefined;

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      post: {
        operationId: 'addPet',
        requestBody: { $ref: '#/components/requestBodies/Gone' },
        responses: {
          200: {
            description: 'Added.',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
          404: { $ref: '#/components/responses/Gone', description: 'Not found.' },
        },
      },
    },
  },
  components: {
    schemas: { Pet: { type: 'object', properties: { owner: { $ref: './owner.yaml' } } } },
  },
};

test('pages show where something is missing, and the document itself stays as it was', async () => {
  const checked = await readCheckedDocument(
    Buffer.from(JSON.stringify(DOCUMENT)),
    'a.json',
    silent,
  );
  assert.ok('upgraded' in checked);
  const { files } = await documentSite(checked, silent);
  const texts = new Map([...files].map((file) => [file.path, String(bytesOf(file))]));
  for (const path of ['/reference/operations/addPet', '/reference/operations/addPet.md']) {
    const text = texts.get(path) ?? '';
    for (const target of ['requestBodies/Gone', 'responses/Gone'])
      assert.match(text, new RegExp(`Not in the document: .*#/components/${target}`), path);
    assert.match(text, /Not found\./);
  }
  assert.match(
    texts.get('/reference/models/Pet.md') ?? '',
    /`owner`.*Not in the document: `\.\/owner\.yaml`/,
  );
  assert.deepEqual(checked.document, DOCUMENT);
});
