import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const SUNSET = Date.parse('2030-12-05T00:00:00Z');

function assertAnnounced(answer: Response, base: string): void {
  assert.equal(answer.headers.get('deprecation'), '@1764892800');
  assert.equal(answer.headers.get('sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT');
  assert.equal(answer.headers.get('link'), `<${base}/pets>; rel="successor-version"`);
}

test('every response of getPet tells of its end and its successor, errors too', async (t) => {
  const { post, get, call, origin, store } = await startService(t);
  await post('/pets', '{"name":"Rex","categoryId":1}');
  const answers = [
    await get('/pets/1'),
    await call('/pets/1', { method: 'HEAD' }),
    await get('/pets/2'),
    await get('/pets/rex'),
    await call('/pets/1', { headers: { authorization: 'Bearer x' } }),
  ];
  await store.close();
  answers.push(await get('/pets/1'));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 404, 404, 401, 503],
  );
  for (const answer of answers) assertAnnounced(answer, `${origin}/v1`);
});

test('no other operation is announced as deprecated', async (t) => {
  const { get, post } = await startService(t);
  const answers = [await get('/pets'), await post('/pets', '{"name":"Rex","categoryId":1}')];
  for (const { headers } of answers) {
    assert.equal(headers.get('deprecation'), null);
    assert.equal(headers.get('sunset'), null);
  }
});

test('getPet works until the last millisecond before its sunset, and is a 410 from then on', async (t) => {
  let now = SUNSET - 1;
  const { post, get, call, origin } = await startService(t, { now: () => now });
  await post('/pets', '{"name":"Rex","categoryId":1}');
  assert.equal((await get('/pets/1')).status, 200);
  now = SUNSET;
  for (const path of ['/pets/1', '/pets/2', '/pets/rex']) {
    const answer = await get(path);
    assertAnnounced(answer, `${origin}/v1`);
    await assertError(
      answer,
      'operation_removed',
      /^This operation was removed on 2030-12-05\. Use GET \/pets with a status filter\.$/,
    );
  }
  await assertError(await call('/pets/1', { headers: { authorization: '' } }), 'unauthorized');
  assert.equal((await get('/pets')).status, 200);
});

test('getPet leaves the document at its sunset', async (t) => {
  let now = SUNSET - 1;
  const { origin } = await startService(t, { now: () => now, config: { stability: 'stable' } });
  const paths = async () => {
    const answer = await fetch(`${origin}/v1/openapi.json`);
    return Object.keys(((await answer.json()) as { paths: object }).paths);
  };
  assert.deepEqual(await paths(), ['/pets', '/pets/{petId}', '/store/orders']);
  now = SUNSET;
  assert.deepEqual(await paths(), ['/pets', '/store/orders']);
});
