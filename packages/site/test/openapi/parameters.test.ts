import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '@petstore/http/html.ts';
import { findOperations } from '../../src/openapi/operations.ts';
import { operationContent } from '../../src/reference/operation-content.ts';
import { operationData } from '../../src/reference/operation-data.ts';
import { referenceDocuments } from '../../src/search/reference-documents.ts';
import { contextOf, markdownOf } from '../markdown/context.ts';
import { idsOf } from '../reference/page-context.ts';

const query = (name: string, more: object = {}) => ({
  ...{ name, in: 'query', schema: { type: 'string' } },
  ...more,
});

const DOCUMENT = {
  paths: {
    '/pets/{petId}': {
      parameters: [
        { $ref: '#/components/parameters/PetId' },
        query('fields', { description: 'That of the path.' }),
        query('trace', { 'x-internal': true }),
      ],
      get: {
        operationId: 'getPet',
        parameters: [
          query('locale'),
          { $ref: '#/components/parameters/Fields' },
          query('cache', { 'x-internal': true }),
          { name: 'petId', in: 'query', schema: { type: 'string' } },
        ],
        responses: { 204: { description: 'Done' } },
      },
    },
  },
  components: {
    parameters: {
      PetId: { name: 'petId', in: 'path', required: true, schema: { type: 'integer' } },
      Fields: query('fields', { description: 'That of the operation.' }),
    },
  },
};

/** Those of the path first; of the same name and place the operation's; none that is internal. */
const EXPECTED = ['path petId', 'query fields', 'query locale', 'query petId'];

test('page, Markdown, panel and search have the same parameters of an operation, without internal ones', async () => {
  const context = await contextOf(DOCUMENT);
  const [found] = findOperations(context.document);
  const [summary] = context.checked.operations;
  assert.ok(found && summary);

  const nothing = { aside: html``, data: undefined, tryIt: false };
  const { text: page } = operationContent(context, summary, found, nothing);
  const ids = idsOf(page).filter((id) => /^(?:petId|fields|locale|trace|cache|query\.)/.test(id));
  assert.deepEqual(ids, ['petId', 'fields', 'locale', 'query.petId']);
  assert.match(page, /That of the operation\./);

  const { parameters = [] } = operationData(context, found);
  assert.deepEqual(
    parameters.map((one) => `${one.in} ${one.name}`),
    EXPECTED,
  );
  assert.equal(parameters[1]?.description, 'That of the operation.');

  const markdown = await markdownOf(DOCUMENT, '/reference/operations/getPet.md');
  const rows = [...markdown.matchAll(/^\| `(\w+)` \| (\w+) \| .* \| (.*) \|$/gm)];
  assert.deepEqual(
    rows.map(([, name, place]) => `${place} ${name}`),
    EXPECTED,
  );
  assert.equal(rows[1]?.[3], 'That of the operation.');

  const documents = [...referenceDocuments(context)];
  const { places = [] } = documents.find(({ name }) => name === 'getPet') ?? {};
  assert.deepEqual(
    places.map(({ group, name }) => `${group} ${name}`),
    EXPECTED,
  );
});
