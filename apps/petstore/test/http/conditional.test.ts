import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const BODY = '{"name":"Rex","categoryId":1}';

async function etag({ get }: Service, path: string): Promise<string> {
  return (await get(path)).headers.get('etag') ?? '';
}

function ask({ call }: Service, path: string, known: string, method = 'GET'): Promise<Response> {
  return call(path, { method, headers: { 'if-none-match': known } });
}

test('a list and a pet carry a strong entity tag that is theirs alone', async (t) => {
  const service = await startService(t);
  for (let i = 0; i < 3; i++) await service.post('/pets', BODY);
  const paths = [
    '/pets',
    '/pets?limit=1',
    '/pets?limit=2',
    '/pets?status=sold',
    '/pets/1',
    '/pets/2',
  ];
  const tags = await Promise.all(paths.map((path) => etag(service, path)));
  for (const tag of tags) assert.match(tag, /^"[\w-]{22}"$/);
  assert.equal(new Set(tags).size, tags.length);
  assert.equal((await service.get('/pets')).headers.get('cache-control'), 'private, no-cache');
});

test('a client that has the response gets a 304 without a body, however it says so', async (t) => {
  const service = await startService(t);
  await service.post('/pets', BODY);
  for (const path of ['/pets', '/pets/1']) {
    const tag = await etag(service, path);
    for (const known of [tag, `W/${tag}`, `"x", ${tag} , "y"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(service, path, known, method);
        assert.equal(answer.status, 304, known);
        assert.equal(answer.headers.get('etag'), tag);
        assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
        assert.equal(await answer.text(), '');
      }
    }
    for (const known of ['"x"', tag.slice(1, -1), `${tag}x`, '']) {
      assert.equal((await ask(service, path, known)).status, 200, known);
    }
  }
});

test('a write changes the tags of the pages that it changes', async (t) => {
  const service = await startService(t);
  await service.post('/pets', BODY);
  const [all, sold, pet] = await Promise.all(
    ['/pets', '/pets?status=sold', '/pets/1'].map((path) => etag(service, path)),
  );
  await service.post('/pets', BODY);
  assert.equal((await ask(service, '/pets', all ?? '')).status, 200);
  assert.equal((await ask(service, '/pets?status=sold', sold ?? '')).status, 304);
  assert.equal((await ask(service, '/pets/1', pet ?? '')).status, 304);
});

test('a page whose successor has just come has another tag, since its link is new', async (t) => {
  const service = await startService(t);
  await service.post('/pets', BODY);
  const before = await service.get('/pets?limit=1');
  assert.equal(before.headers.get('link'), null);
  await service.post('/pets', BODY);
  const after = await ask(service, '/pets?limit=1', before.headers.get('etag') ?? '');
  assert.equal(after.status, 200);
  assert.ok(after.headers.get('link'));
});

test('the tag is the same after a restart, and with nothing kept in memory', async (t) => {
  const tags: string[] = [];
  for (const pageCacheBytes of [16_777_216, 0]) {
    const service = await startService(t, { config: { pageCacheBytes, baseUrl: 'https://a/v1' } });
    for (let i = 0; i < 3; i++) await service.post('/pets', BODY);
    tags.push(await etag(service, '/pets?limit=2'));
  }
  assert.equal(tags[0], tags[1]);
});

/** A pet, a category, and an order of another pet. */
async function fill(service: Service): Promise<void> {
  for (const [path, body] of [
    ['/pets', BODY],
    ['/pets', BODY],
    ['/categories', '{"name":"Dogs"}'],
    ['/store/orders', '{"petId":2}'],
  ] as const) {
    assert.equal((await service.post(path, body)).status, 201);
  }
}

const READ = ['/pets', '/pets?limit=1', '/pets/1', '/categories', '/categories/1'].concat([
  '/store/orders',
  '/store/orders/1',
  '/store/orders?status=placed',
]);

test('If-Match on a GET asks for what is here by its strong tag: 412 otherwise', async (t) => {
  const service = await startService(t);
  await fill(service);
  // Twice, so that the second time it would be answered in front of the router.
  for (let times = 0; times < 2; times++) {
    for (const path of READ) {
      const tag = await etag(service, path);
      for (const method of ['GET', 'HEAD']) {
        const statusOf = async (headers: Record<string, string>) =>
          (await service.call(path, { method, headers })).status;
        for (const good of [tag, '*', `"x", ${tag}`]) {
          assert.equal(await statusOf({ 'if-match': good }), 200, `${path} ${good}`);
          // First If-Match, then If-None-Match.
          assert.equal(await statusOf({ 'if-match': good, 'if-none-match': tag }), 304, path);
        }
        for (const bad of ['"x"', `W/${tag}`, '', tag.slice(1, -1)]) {
          assert.equal(await statusOf({ 'if-match': bad }), 412, `${path} ${bad}`);
          assert.equal(await statusOf({ 'if-match': bad, 'if-none-match': tag }), 412, path);
        }
      }
      const answer = await service.call(path, { headers: { 'if-match': '"x"' } });
      await assertError(answer, 'precondition_failed', /^If-Match does not match the current ETag/);
    }
  }
  const absent = await service.call('/pets/9', { headers: { 'if-match': '*' } });
  await assertError(absent, 'not_found');
});

test('a write whose If-None-Match names what is here is a 412, and does nothing', async (t) => {
  const service = await startService(t);
  await fill(service);
  const json = { 'content-type': 'application/json' };
  const writes = [
    ['PATCH', '/pets/1', '/pets/1', '{"name":"Ada"}'],
    ['PATCH', '/categories/1', '/categories/1', '{"name":"Cats"}'],
    ['POST', '/store/orders/1/complete', '/store/orders/1', '{}'],
    ['POST', '/store/orders/1/cancel', '/store/orders/1', '{}'],
    ['DELETE', '/pets/1', '/pets/1', undefined],
    ['POST', '/pets', '/pets', BODY],
    ['POST', '/categories', '/categories', '{"name":"Birds"}'],
    ['POST', '/store/orders', '/store/orders', '{"petId":1}'],
  ] as const;
  const all = async () => (await Promise.all(READ.map((path) => etag(service, path)))).join();
  const before = await all();
  for (const [method, path, of, body] of writes) {
    const tag = await etag(service, of);
    const send = (headers: Record<string, string>) =>
      service.call(path, { method, headers: { ...json, ...headers }, ...(body && { body }) });
    for (const known of ['*', tag, `W/${tag}`, `"x", ${tag}`]) {
      const answer = await send({ 'if-none-match': known });
      await assertError(answer, 'precondition_failed', /^If-None-Match matches the current ETag/);
      await assertError(
        await send({ 'if-match': tag, 'if-none-match': known }),
        'precondition_failed',
      );
    }
    for (const stale of ['"x"', `W/${tag}`]) {
      const answer = await send({ 'if-match': stale, 'if-none-match': '"y"' });
      await assertError(answer, 'precondition_failed', /^If-Match does not match the current ETag/);
    }
    assert.equal(await all(), before, `${method} ${path} did nothing`);
  }
  const absent = { method: 'DELETE', headers: { 'if-none-match': '*' } };
  await assertError(await service.call('/pets/9', absent), 'not_found');

  for (const [method, path, of, body] of writes.filter(([, path]) => !path.endsWith('/cancel'))) {
    const headers = { ...json, 'if-match': await etag(service, of), 'if-none-match': '"x"' };
    const answer = await service.call(path, { method, headers, ...(body && { body }) });
    assert.ok(
      answer.ok || (path === '/store/orders' && answer.status === 404),
      `${method} ${path}`,
    );
  }
});

test('of many who end an order by the tag that they saw, one does; the others are told 412', async (t) => {
  const service = await startService(t);
  await fill(service);
  const tag = await etag(service, '/store/orders/1');
  const end = (verb: string, headers: Record<string, string>) =>
    service.call(`/store/orders/1/${verb}`, { method: 'POST', headers });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      end(at % 2 ? 'complete' : 'cancel', {
        'if-match': tag,
        ...(at % 3 === 0 && { 'idempotency-key': `key-${at}` }),
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(11).fill(412)]);
});

test('a request that is repeated with its key gets its first response, whatever has changed since', async (t) => {
  const service = await startService(t);
  await fill(service);
  const send = async () => {
    const headers = { 'if-match': tag, 'idempotency-key': 'once' };
    return service.call('/store/orders/1/complete', { method: 'POST', headers });
  };
  const tag = await etag(service, '/store/orders/1');
  const [first, second] = [await send(), await send()];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(await first.text(), await second.text());
});
