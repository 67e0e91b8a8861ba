import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StabilityLevel } from '../../src/stability.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const INTERFACE = ['GET /pets', 'POST /pets', 'GET /pets/{petId}', 'GET /store/orders'];

const BETA = [
  'PATCH /pets/{petId}',
  'DELETE /pets/{petId}',
  'GET /categories',
  'POST /categories',
  'GET /categories/{categoryId}',
  'PATCH /categories/{categoryId}',
  'DELETE /categories/{categoryId}',
];

const EXPERIMENTAL = [
  'QUERY /pets',
  'GET /pets/queries/{query}',
  'POST /store/orders',
  'GET /store/orders/{orderId}',
  'POST /store/orders/{orderId}/complete',
  'POST /store/orders/{orderId}/cancel',
  'GET /events',
  'GET /webhooks',
  'POST /webhooks',
  'GET /webhooks/{webhookId}',
  'PATCH /webhooks/{webhookId}',
  'DELETE /webhooks/{webhookId}',
  'POST /webhooks/{webhookId}/rotate',
  'POST /webhooks/{webhookId}/test',
  'GET /webhooks/{webhookId}/deliveries',
  'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
  'GET /faults',
  'POST /faults',
  'PUT /faults',
  'DELETE /faults',
  'POST /sandboxes',
  'GET /sandbox',
  'DELETE /sandbox',
  'POST /sandbox/reset',
  'GET /sandbox/snapshots',
  'POST /sandbox/snapshots',
  'POST /sandbox/snapshots/{snapshotName}/restore',
  'DELETE /sandbox/snapshots/{snapshotName}',
  'GET /report',
  'GET /challenges',
  'POST /challenges/{code}/start',
  'GET /challenges/verdict',
  'POST /challenges/verdict',
];

const OFFERED: Record<StabilityLevel, string[]> = {
  stable: INTERFACE,
  beta: [...INTERFACE, ...BETA],
  experimental: [...INTERFACE, ...BETA, ...EXPERIMENTAL],
};

const LEVELS = Object.keys(OFFERED) as StabilityLevel[];

interface Document {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: object };
  tags: { name: string }[];
}

const start = (t: TestContext, stability: StabilityLevel) =>
  startService(t, { config: { stability } });

async function documentOf(origin: string): Promise<Document> {
  return (await (await fetch(`${origin}/v1/openapi.json`)).json()) as Document;
}

function operationsOf({ paths }: Document): Map<string, Record<string, unknown>> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        // OpenAPI 3.1 does not know the method QUERY.
        ([method, operation]) =>
          [`${method.replace('x-', '').toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );
}

test('each level offers its operations, marked, and documents those and nothing else', async (t) => {
  for (const level of LEVELS) {
    const { origin } = await start(t, level);
    const operations = operationsOf(await documentOf(origin));
    assert.deepEqual([...operations.keys()].sort(), [...OFFERED[level]].sort());
    for (const [name, operation] of operations) {
      const mark = BETA.includes(name)
        ? 'beta'
        : EXPERIMENTAL.includes(name) || name === 'GET /store/orders'
          ? 'experimental'
          : undefined;
      assert.equal(operation['x-stability'], mark, name);
      const isHidden = name === 'GET /store/orders' ? true : undefined;
      assert.equal(operation['x-hideTryItPanel'], isHidden, name);
    }
  }
});

test('at stable the document holds the schemas and tags of the interface and no others', async (t) => {
  const { origin } = await start(t, 'stable');
  const { components, tags } = await documentOf(origin);
  const expected = [
    'Error',
    'NewPet',
    'Order',
    'OrderStatus',
    'Orders',
    'Pet',
    'PetStatus',
    'Pets',
  ];
  assert.deepEqual(Object.keys(components.schemas).sort(), expected);
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['pets', 'orders'],
  );
});

test('what is switched off is a 404, or a 405 where its path has other methods, with a key or without, and in no Allow', async (t) => {
  for (const level of LEVELS) {
    const { call, origin } = await start(t, level);
    for (const operation of OFFERED.experimental) {
      const [method = '', template = ''] = operation.split(' ');
      const path = template.replaceAll(/\{\w+\}/g, '1');
      const answer = await call(path, { method });
      const withoutKey = await fetch(`${origin}/v1${path}`, { method });
      if (OFFERED[level].includes(operation)) {
        // This one can do without a key, and without a body.
        const expected = operation === 'POST /sandboxes' ? 201 : 401;
        assert.equal(withoutKey.status, expected, operation);
        // A QUERY must have a Content-Type.
        const possible = method === 'QUERY' ? [415] : [200, 201, 400, 404];
        assert.ok(possible.includes(answer.status), operation);
      } else {
        // As where there is no such operation at all: the path may have others.
        const others = OFFERED[level].filter((other) => other.endsWith(` ${template}`));
        const [code, message] =
          others.length > 0
            ? (['method_not_allowed', new RegExp(`^${method} is not allowed here; use `)] as const)
            : (['not_found', /^Nothing is at this path\./] as const);
        const allow = others
          .flatMap((other) => (other.startsWith('GET ') ? ['GET', 'HEAD'] : [other.split(' ')[0]]))
          .sort()
          .join(', ');
        for (const refused of [answer, withoutKey]) {
          assert.equal(refused.headers.get('allow') ?? '', allow, operation);
          await assertError(refused, code, message);
        }
      }
    }
  }
  const stable = await start(t, 'stable');
  const put = await stable.call('/pets/1', { method: 'PUT' });
  assert.equal(put.headers.get('allow'), 'GET, HEAD');
  await assertError(put, 'method_not_allowed');
  await assertError(await stable.call('/categories', { method: 'PUT' }), 'not_found');
  const all = await start(t, 'experimental');
  const allow = (await all.call('/pets/1', { method: 'PUT' })).headers.get('allow');
  assert.equal(allow, 'DELETE, GET, HEAD, PATCH');
});

test('the operations of the interface respond the same at every level', async (t) => {
  const answers = await Promise.all(
    LEVELS.map(async (level) => {
      const { get, post } = await start(t, level);
      const all = [
        await post('/pets', '{"name":"Rex","categoryId":9007199254740993}'),
        await post('/pets', '{"name":"Kim"}'),
        await get('/pets?limit=1'),
        await get('/pets?status=sold'),
        await get('/pets/1'),
        await get('/pets/2'),
        await get('/store/orders'),
        await get('/store/orders?status=sold'),
      ];
      return Promise.all(
        all.map(async (answer) => {
          const headers = [...answer.headers].filter(
            ([name]) => !['date', 'x-request-id', 'location', 'link'].includes(name),
          );
          return [answer.status, headers, await answer.text()];
        }),
      );
    }),
  );
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});
