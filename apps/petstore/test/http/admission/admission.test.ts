import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@petstore/http/errors.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import Fastify from 'fastify';
import { admission } from '../../../src/http/admission/admission.ts';
import type { Authentication } from '../../../src/http/admission/authentication.ts';
import type { Check } from '../../../src/http/admission/check.ts';
import type { ActiveKey } from '../../../src/keys/key.ts';
import type { ResourceStore } from '../../../src/store/store.ts';

const KEY: ActiveKey = { id: 'key_1', scopes: ['admin'], expiresAt: Number.POSITIVE_INFINITY };

const now = <T>(value: T) => value;
const later = async <T>(value: T) => value;
const fail = (): never => {
  throw new ApiError('forbidden', 'no');
};

const STORE = {} as ResourceStore;

/**
 * What a route behind admission answers; the time for a key and for a check is that of the functions. `/open` takes
 * requests without a key, too.
 */
async function answer(
  t: TestContext,
  keyOf: () => unknown,
  check: Check,
  url = '/',
  headers: Record<string, string> = {},
) {
  const app = Fastify();
  cleanUp(t, () => app.close());
  // As request-observer.ts has it.
  app.decorateRequest('route');
  app.addHook('onRequest', async (request) => {
    request.route = request.routeOptions;
  });
  app.addHook(
    'onRequest',
    admission({ keyOf } as unknown as Authentication, check, () => STORE),
  );
  const config = { scope: 'pets:read' } as const;
  app.get('/', { config }, ({ apiKey, store }) => (store === STORE ? apiKey.id : 'another store'));
  app.get('/open', { config: { ...config, isKeyOptional: true } }, ({ apiKey }) =>
    apiKey ? apiKey.id : 'no key',
  );
  const { statusCode, body } = await app.inject({ url, headers });
  return statusCode === 200 ? body : JSON.parse(body).code;
}

test('a request reaches its route with its key when all checks passed, at once or later', async (t) => {
  for (const keyOf of [now, later]) {
    for (const checked of [now, later]) {
      const seen: unknown[] = [];
      const check: Check = ({ key, config, response }) => {
        seen.push([key, config.scope, typeof response.writeHead]);
        return checked(undefined);
      };
      assert.equal(await answer(t, () => keyOf(KEY), check), 'key_1');
      assert.deepEqual(seen, [[KEY, 'pets:read', 'function']]);
    }
  }
});

test('a request whose key or check fails, at once or later, does not reach its route', async (t) => {
  const failures: [() => unknown, Check][] = [
    [fail, () => undefined],
    [async () => fail(), () => undefined],
  ];
  for (const keyOf of [() => KEY, async () => KEY]) failures.push([keyOf, fail]);
  for (const keyOf of [() => KEY, async () => KEY]) failures.push([keyOf, async () => fail()]);
  for (const [keyOf, check] of failures) assert.equal(await answer(t, keyOf, check), 'forbidden');
});

test('the address of the client is asked of the framework, which knows trusted proxies', async (t) => {
  const keyOf = (_request: unknown, address: () => string) => ({ ...KEY, id: address() });
  assert.equal(await answer(t, keyOf as () => unknown, () => undefined), '127.0.0.1');
});

test('where a key is optional, a request without one passes, and one that came with any has it checked', async (t) => {
  const checked: Check = ({ key }) => void seen.push(key.id);
  const seen: string[] = [];
  assert.equal(await answer(t, fail, checked, '/open'), 'no key');
  assert.deepEqual(seen, [], 'no checks of a key');
  for (const authorization of ['', 'Bearer x']) {
    assert.equal(await answer(t, fail, checked, '/open', { authorization }), 'forbidden');
    assert.equal(await answer(t, () => KEY, fail, '/open', { authorization }), 'forbidden');
    assert.equal(await answer(t, () => KEY, checked, '/open', { authorization }), 'key_1');
  }
  assert.deepEqual(seen, ['key_1', 'key_1']);
  assert.equal(await answer(t, fail, checked, '/'), 'forbidden', 'elsewhere a key is needed');
});
