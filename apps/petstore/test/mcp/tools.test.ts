import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from '@petstore/test-support/documents.ts';
import { apiRequest } from '../../src/mcp/api-request.ts';
import { parseExact } from '../../src/mcp/exact-json.ts';
import type { OperationTool } from '../../src/mcp/operation-tool.ts';
import { type ApiDocument, toolsOf } from '../../src/mcp/tools-of-document.ts';

const document = JSON.parse(await readDocument('docs/openapi.json')) as ApiDocument & {
  paths: Record<string, Record<string, { operationId: string }>>;
};
const tools = toolsOf(document);
const toolNamed = (name: string): OperationTool => {
  const found = tools.find(({ listing }) => listing.name === name);
  assert.ok(found, name);
  return found;
};
const requestFor = (name: string, args: string) =>
  apiRequest(toolNamed(name), parseExact(args) as Record<string, unknown>);

test('every operation of the document is a tool, under its id', () => {
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  assert.deepEqual(tools.map(({ listing }) => listing.name).sort(), ids.sort());
});

test('what has no JSON to give is no tool, nor is what has no id', () => {
  const responses = (type: string) => ({ 200: { content: { [type]: {} } } });
  const made = toolsOf({
    info: { title: 'A', version: '1' },
    paths: {
      '/json': { get: { operationId: 'json', responses: responses('application/json') } },
      '/stream': { get: { operationId: 'stream', responses: responses('text/event-stream') } },
      '/page': { get: { operationId: 'page', responses: responses('text/html') } },
      '/nothing': { delete: { operationId: 'nothing', responses: { 204: {} } } },
      '/asked': { 'x-query': { operationId: 'asked', responses: responses('application/json') } },
      '/nameless': { get: { responses: responses('application/json') } },
    },
  });
  assert.deepEqual(
    made.map(({ listing }) => listing.name),
    ['json', 'nothing', 'asked'],
  );
});

test('what may destroy is marked, and so is what reads', () => {
  const marks = (name: string) => {
    const { readOnlyHint, destructiveHint, idempotentHint } =
      toolNamed(name).listing.annotations ?? {};
    return [readOnlyHint, destructiveHint, idempotentHint];
  };
  for (const name of ['listPets', 'getPet', 'getReport', 'listEvents']) {
    assert.deepEqual(marks(name), [true, false, true], name);
  }
  for (const name of ['createPet', 'createWebhook', 'placeOrder']) {
    assert.deepEqual(marks(name), [false, false, false], name);
  }
  for (const name of ['deletePet', 'deleteSandbox', 'clearFaults', 'setFaults']) {
    assert.deepEqual(marks(name), [false, true, true], name);
  }
  for (const name of ['resetSandbox', 'restoreSnapshot', 'cancelOrder', 'updatePet']) {
    assert.deepEqual(marks(name), [false, true, false], name);
  }
});

test('a schema stands alone, asks for ids as text, and names what is required', () => {
  const { inputSchema } = toolNamed('createPet').listing;
  const properties = inputSchema.properties as Record<string, Record<string, unknown>>;
  assert.doesNotMatch(JSON.stringify(tools), /"\$ref"|"x-/);
  assert.deepEqual(Object.keys(properties), ['name', 'categoryId', 'status', 'Idempotency-Key']);
  assert.deepEqual(inputSchema.required, ['name', 'categoryId']);
  assert.equal(properties.categoryId?.type, 'string');
  assert.deepEqual(properties.status?.enum, ['available', 'pending', 'sold']);
  assert.deepEqual(toolNamed('updatePet').listing.inputSchema.required, ['petId']);
  assert.deepEqual(
    Object.keys(toolNamed('setFaults').listing.inputSchema.properties ?? {}),
    ['body'],
    'a body that is no object is an argument of its own',
  );
});

test('a member with the name of a parameter takes the body apart', () => {
  const [tool] = toolsOf({
    info: { title: 'A', version: '1' },
    paths: {
      '/pets/{id}': {
        put: {
          operationId: 'putPet',
          parameters: [{ name: 'id', in: 'path', schema: { type: 'string' } }],
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { id: { type: 'integer', format: 'int64' } },
                },
              },
            },
          },
          responses: { 200: { content: { 'application/json': {} } } },
        },
      },
    },
  });
  assert.ok(tool);
  const { target, body } = apiRequest(tool, { id: 'a', body: { id: '9007199254740993' } });
  assert.deepEqual([target, body], ['/pets/a', '{"id":9007199254740993}']);
});

test('numbers keep their digits on the way into a path, a query and a body', () => {
  const big = '9007199254740993';
  for (const id of [big, `"${big}"`]) {
    assert.equal(requestFor('getPet', `{"petId":${id}}`).target, `/pets/${big}`);
    const { body } = requestFor('createPet', `{"name":"A","categoryId":${id}}`);
    assert.equal(body, `{"name":"A","categoryId":${big}}`);
  }
  // The API judges what is no 64-bit integer.
  const wrong = requestFor('createPet', '{"name":9007199254740993,"categoryId":"1e3"}');
  assert.equal(wrong.body, '{"name":9007199254740993,"categoryId":"1e3"}');
  for (const text of ['007', '-0', '+1', '1.0', ' 1', '', '-', '12345678901234567890']) {
    const { body } = requestFor('createPet', JSON.stringify({ name: 'A', categoryId: text }));
    assert.equal(body, JSON.stringify({ name: 'A', categoryId: text }), 'no number of JSON');
  }
  assert.equal(requestFor('listPets', '{"limit":1.0}').target, '/pets?limit=1.0');
});

test('no argument becomes another request than that of its tool', () => {
  const path = (id: string) =>
    requestFor('deleteSnapshot', JSON.stringify({ snapshotName: id })).target;
  assert.equal(path('../../sandboxes'), '/sandbox/snapshots/..%2F..%2Fsandboxes');
  assert.equal(path('a?b=c#d'), '/sandbox/snapshots/a%3Fb%3Dc%23d');
  assert.equal(path('%2e%2e'), '/sandbox/snapshots/%252e%252e');
  assert.equal(path('$&$1'), '/sandbox/snapshots/%24%26%241', 'no pattern of replacement');
  for (const id of ['.', '..', '', '\ud800']) assert.throws(() => path(id), /snapshotName/, id);
  const query = requestFor('listPets', '{"cursor":"a&limit=100\\r\\nX: y"}').target;
  assert.equal(query, '/pets?cursor=a%26limit%3D100%0D%0AX%3A%20y');
  const create = (key: string) =>
    requestFor('createPet', JSON.stringify({ name: 'A', categoryId: 1, 'Idempotency-Key': key }));
  assert.throws(() => create('a\r\nAuthorization: Bearer b'), /one line/);
  assert.throws(() => create('\u{1F600}'), /one line/);
  for (const value of ['{}', '[]', 'null']) {
    assert.throws(() => requestFor('getPet', `{"petId":${value}}`), /petId must be a text/);
  }
  assert.throws(() => requestFor('getPet', '{}'), /petId is required/);
  assert.throws(
    () => requestFor('getPet', '{"petId":1,"__proto__":{"a":1}}'),
    /no argument "__proto__"/,
  );
  assert.throws(() => requestFor('getPet', '{"petID":1}'), /Did you mean petId/);
});
