import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
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

test('who has the answer gets a 304 without a body, however it says so', async (t) => {
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
