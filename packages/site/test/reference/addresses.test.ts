import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckedDocument } from '../../src/openapi/openapi-types.ts';
import { listOperations } from '../../src/openapi/operations.ts';
import { plainText } from '../../src/openapi/plain-text.ts';
import { referenceAddresses, referencePaths } from '../../src/reference/addresses.ts';
import { oldAnchors } from '../../src/reference/old-anchors.ts';

function checked(document: Record<string, unknown>): CheckedDocument {
  const operations = listOperations(document, plainText());
  const placeOf = (pointer: string) => ({ file: 'openapi.json', pointer, line: null });
  return { syntax: 'JSON', document, upgraded: document, operations, placeOf };
}

const addressesOf = (document: Record<string, unknown>) =>
  referenceAddresses(checked(document), '/reference');

const pathsOf = (document: Record<string, unknown>) => [...referencePaths(addressesOf(document))];

const operation = (operationId: string | undefined, ...tags: string[]) => ({
  ...(operationId !== undefined && { operationId }),
  ...(tags.length > 0 && { tags }),
  responses: {},
});

test('an operation is named by its tag and operationId, or by its method and path', () => {
  const paths = pathsOf({
    tags: [{ name: 'Store Orders' }],
    paths: {
      '/pets': { get: operation('listPets', 'pets', 'others'), post: operation(undefined, 'pets') },
      '/pets/{petId}': { get: operation(undefined) },
      '/orders': { get: operation('orders/list', 'Store Orders') },
    },
    webhooks: { 'pet.sold': { post: operation(undefined, 'pets') } },
    components: { schemas: { Pet: {}, Secret: { 'x-internal': true } } },
  });
  assert.deepEqual(paths, [
    '/reference',
    '/reference/store-orders',
    '/reference/store-orders/orders-list',
    '/reference/pets',
    '/reference/pets/listPets',
    '/reference/pets/post-pets',
    '/reference/operations',
    '/reference/operations/get-pets-petId',
    '/reference/webhooks',
    '/reference/webhooks/post-pet.sold',
    '/reference/models',
    '/reference/models/Pet',
  ]);
});

test('no two pages have one path, however names are written, and none leads anywhere else', () => {
  const ids = [
    'list',
    'List',
    'LIST',
    '..',
    '.',
    '',
    '/',
    '%2e%2e',
    'a.md',
    'a',
    '動物',
    'x'.repeat(500),
  ];
  const paths = pathsOf({
    paths: Object.fromEntries(
      ids.map((id, at) => [`/p${at}`, { get: operation(id, at % 2 ? 'Models' : 'webhooks') }]),
    ),
    components: { schemas: { pet: {}, Pet: {}, '../..': {} } },
  });
  const folded = paths.map((path) => path.toLowerCase());
  assert.equal(new Set(folded).size, paths.length);
  for (const path of paths) {
    assert.equal(new URL(encodeURI(path), 'http://a.test').pathname, encodeURI(path), path);
    assert.doesNotMatch(path, /\.md$/);
    assert.ok(path.length < 200, path);
  }
});

test('a tag has the address of webhooks only in a document that has none', () => {
  const document = {
    paths: {
      '/hooks': { get: operation('getHooks', 'Webhooks'), post: operation('sync', 'Models') },
    },
  };
  assert.deepEqual(pathsOf(document).slice(1), [
    '/reference/webhooks',
    '/reference/webhooks/getHooks',
    '/reference/models-2',
    '/reference/models-2/sync',
  ]);
  const webhooks = { sold: { post: operation('onSold') } };
  assert.deepEqual(pathsOf({ ...document, webhooks }).slice(1), [
    '/reference/webhooks-2',
    '/reference/webhooks-2/getHooks',
    '/reference/models-2',
    '/reference/models-2/sync',
    '/reference/webhooks',
    '/reference/webhooks/onSold',
  ]);
});

test('what is sent and who is sent it are two sections with two titles', () => {
  const hooks = { '/hooks': { get: operation('getHooks', 'webhooks') } };
  const webhooks = { sold: { post: operation('onSold') } };
  assert.equal(addressesOf({ paths: {}, webhooks }).webhooks?.title, 'Webhooks');
  const both = addressesOf({ paths: hooks, webhooks });
  assert.deepEqual(
    [...both.tags.map(({ title }) => title), both.webhooks?.title],
    ['webhooks', 'Webhook events'],
  );
});

test('groups and names for readers are those of the document, in its order', () => {
  const { tags } = addressesOf({
    tags: [{ name: 'b', 'x-displayName': 'Bees' }, { name: 'a' }],
    'x-tagGroups': [{ name: 'All', tags: ['a'] }],
    paths: {
      '/': { get: operation('1', 'c'), put: operation('2', 'b'), post: operation('3', 'a') },
    },
  });
  assert.deepEqual(
    tags.map(({ title, group }) => [title, group]),
    [
      ['a', 'All'],
      ['Bees', undefined],
      ['c', undefined],
    ],
  );
});

test('the fragments of the one page of earlier versions lead to the pages of today', () => {
  const document = {
    paths: { '/pets/{id}': { get: operation('getPet', 'Pet Shop') } },
    components: { schemas: { Pet: {} } },
  };
  const read = checked(document);
  const anchors = oldAnchors(read, referenceAddresses(read, '/reference'));
  assert.deepEqual(
    ['tag/pet-shop/GET/pets/{id}', 'tag/pet-shop', 'model/Pet'].map((one) => anchors.get(one)),
    ['/reference/pet-shop/getPet', '/reference/pet-shop', '/reference/models/Pet'],
  );
});
