import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import Fastify from 'fastify';
import { expectScope } from '../../src/http/admission/scope.ts';
import { generateKey } from '../../src/keys/key.ts';
import { SCOPES, type Scope } from '../../src/keys/scope.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The scope that a person would expect. */
  readonly scope: Scope;
  readonly documented: unknown;
}

async function operationsOf({ origin }: Service): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { tags: string[]; 'x-required-scopes': unknown }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, 'x-required-scopes': documented }]) => {
      const [what = 'pets'] = ['orders', 'events', 'webhooks'].filter((tag) => tag === tags[0]);
      // OpenAPI 3.1 has the method QUERY as an extension field.
      const isRead = method === 'get' || method === 'x-query';
      const scope = `${what}:${isRead ? 'read' : 'write'}` as Scope;
      return {
        method: method.replace('x-', '').toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, '1'),
        scope,
        documented,
      };
    }),
  );
}

async function keyWith(service: Service, ...scopes: Scope[]): Promise<string> {
  const made = generateKey(scopes.join(), 'production', new Date(), { scopes });
  await service.store.keys.add(made);
  return made.key;
}

const asked = (service: Service, key: string, path: string, init: RequestInit = {}) =>
  service.call(path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });

test('every operation needs the scope of what it does, and the document says which', async (t) => {
  const operations = await operationsOf(await startService(t));
  assert.ok(operations.length >= 15);
  for (const { method, path, scope, documented } of operations) {
    assert.deepEqual(documented, [scope], `${method} ${path}`);
  }
});

onBothEngines('a key reaches the operations of its scope alone; admin reaches all', async (t) => {
  const service = await startService(t);
  const operations = await operationsOf(service);
  for (const granted of SCOPES) {
    const key = await keyWith(service, granted);
    for (const { method, path, scope } of operations) {
      // No body, so nothing is changed by those that pass; twice, since it may be known by then.
      for (let again = 0; again < 2; again++) {
        const answer = await asked(service, key, path, { method });
        if (granted === scope || granted === 'admin') {
          assert.ok(![401, 403].includes(answer.status), `${granted}: ${method} ${path}`);
          await answer.bytes();
        } else {
          assert.equal(
            answer.headers.get('www-authenticate'),
            `Bearer error="insufficient_scope", scope="${scope}"`,
          );
          await assertError(
            answer,
            'forbidden',
            new RegExp(`^The API key lacks the scope ${scope}, which this operation needs\\.$`),
          );
        }
      }
    }
  }
});

test('a HEAD needs what the GET needs', async (t) => {
  const service = await startService(t, { scopes: ['orders:read'] });
  assert.equal((await service.call('/pets', { method: 'HEAD' })).status, 403);
  assert.equal((await service.call('/store/orders', { method: 'HEAD' })).status, 200);
});

test('what one key may read, another does not get on the fast path', async (t) => {
  const service = await startService(t);
  await service.post('/pets', '{"name":"Rex","categoryId":1}');
  const writer = await keyWith(service, 'pets:write');
  for (const path of ['/pets', '/pets/1']) {
    for (let again = 0; again < 3; again++) {
      assert.equal((await service.get(path)).status, 200);
      await assertError(await asked(service, writer, path), 'forbidden');
    }
  }
});

test('a service with a keyed operation that names no scope does not start', async () => {
  const app = Fastify();
  app.addHook('onRoute', expectScope);
  app.get('/named', { config: { scope: 'pets:read' } }, () => '');
  assert.throws(
    () => app.get('/forgotten', () => ''),
    /^Error: GET \/forgotten takes a key, and its config names no scope\.$/,
  );
});
