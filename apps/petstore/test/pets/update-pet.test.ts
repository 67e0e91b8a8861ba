import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const REX = '{"name":"Rex","categoryId":7}';

function patch(
  { call }: Service,
  path: string,
  body: string,
  headers: Record<string, string> = {},
) {
  const type = { 'content-type': 'application/merge-patch+json' };
  return call(path, { method: 'PATCH', body, headers: { ...type, ...headers } });
}

test('a patch changes the members that it names, and the response has the animal and its tag', async (t) => {
  const service = await startService(t);
  await service.post('/pets', REX);
  const answer = await patch(service, '/pets/1', '{"name":"Ada","categoryId":9007199254740993}');
  assert.equal(answer.status, 200);
  const body = '{"id":1,"name":"Ada","categoryId":9007199254740993,"status":"available"}';
  assert.equal(await answer.text(), body);
  const read = await service.get('/pets/1');
  assert.equal(await read.text(), body);
  assert.equal(answer.headers.get('etag'), read.headers.get('etag'));
  assert.equal(await (await service.get('/pets')).text(), `[${body}]`);
});

test('an empty patch, and one of what is so already, change nothing', async (t) => {
  const service = await startService(t);
  await service.post('/pets', REX);
  const before = await service.get('/pets/1');
  for (const body of ['{}', '{"name":"Rex"}', '{"id":99,"colour":"brown"}']) {
    const answer = await patch(service, '/pets/1', body, { 'content-type': 'application/json' });
    assert.equal(answer.status, 200, body);
    assert.equal(answer.headers.get('etag'), before.headers.get('etag'));
  }
});

test('the status goes the ways of its life and no other', async (t) => {
  const service = await startService(t);
  const allowed = ['available pending', 'available sold', 'pending available', 'pending sold'];
  for (const from of ['available', 'pending', 'sold']) {
    for (const to of ['available', 'pending', 'sold']) {
      const made = await service.post('/pets', `{"name":"Rex","categoryId":1,"status":"${from}"}`);
      const path = new URL(made.headers.get('location') ?? '').pathname.slice(3);
      const answer = await patch(service, path, `{"status":"${to}"}`);
      if (from === to || [...allowed, 'sold available'].includes(`${from} ${to}`)) {
        assert.equal(answer.status, 200, `${from} ${to}`);
        assert.equal(((await answer.json()) as { status: string }).status, to);
      } else {
        await assertError(
          answer,
          'invalid_transition',
          /^An animal that is sold can become available, not pending\.$/,
        );
        assert.match(await (await service.get(path)).text(), /"status":"sold"/);
      }
    }
  }
});

test('If-Match guards a patch and a removal against what others did meanwhile', async (t) => {
  const service = await startService(t);
  await service.post('/pets', REX);
  const first = (await service.get('/pets/1')).headers.get('etag') ?? '';
  const changed = await patch(service, '/pets/1', '{"name":"Ada"}', { 'if-match': first });
  assert.equal(changed.status, 200);
  const second = changed.headers.get('etag') ?? '';
  for (const stale of [first, `W/${second}`, '"x", "y"']) {
    const headers = { 'if-match': stale };
    await assertError(
      await patch(service, '/pets/1', '{"name":"Z"}', headers),
      'precondition_failed',
    );
    await assertError(
      await service.call('/pets/1', { method: 'DELETE', headers }),
      'precondition_failed',
    );
  }
  assert.match(await (await service.get('/pets/1')).text(), /"name":"Ada"/);
  for (const good of [second, `"x", ${second}`, '*']) {
    assert.equal((await patch(service, '/pets/1', '{}', { 'if-match': good })).status, 200);
  }
  await assertError(await patch(service, '/pets/2', '{}', { 'if-match': '*' }), 'not_found');

  // Of those who start from the same, one gets through.
  const race = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      patch(service, '/pets/1', `{"name":"racer ${i}"}`, { 'if-match': second }),
    ),
  );
  assert.deepEqual(race.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)]);
});

test('a patch is as strict as a creation, and says what would be right', async (t) => {
  const service = await startService(t);
  await service.post('/pets', REX);
  const cases: [string, RegExp][] = [
    ['{"name":null}', /^name must be a string of 1 to 255 characters/],
    ['{"status":null}', /^status must be one of available, pending, sold\.$/],
    ['{"status":"lost","categoryId":"5"}', /^categoryId must be an integer .*; status must be/],
    ['[]', /^The body must be a JSON object\.$/],
    ['"x"', /^The body must be a JSON object\.$/],
  ];
  for (const [body, message] of cases) {
    await assertError(await patch(service, '/pets/1', body), 'invalid_request', message);
  }
  await assertError(await patch(service, '/pets/1', '{'), 'invalid_json');
  await assertError(await patch(service, '/pets/1', ''), 'invalid_json');
  const unknown = await patch(service, '/pets/1', '{}', { 'content-type': 'text/plain' });
  assert.equal(unknown.headers.get('accept'), 'application/merge-patch+json, application/json');
  await assertError(
    unknown,
    'unsupported_media_type',
    /Content-Type: application\/merge-patch\+json/,
  );
  for (const id of ['2', 'x', '01', '9223372036854775808']) {
    await assertError(await patch(service, `/pets/${id}`, '{}'), 'not_found');
    await assertError(await patch(service, `/pets/${id}`, '[]'), 'invalid_request');
  }
  const post = await service.post('/pets', REX, { 'content-type': 'application/merge-patch+json' });
  await assertError(post, 'unsupported_media_type');
});

test('an animal that an open order names is neither changed nor removed', async (t) => {
  const service = await startService(t);
  await service.post('/pets', REX);
  await service.post('/store/orders', '{"petId":1}');
  const ordered = /^An open order names this animal\./;
  for (const body of ['{"status":"sold"}', '{"status":"available"}', '{"name":"Ada"}']) {
    await assertError(await patch(service, '/pets/1', body), 'conflict', ordered);
  }
  assert.equal((await patch(service, '/pets/1', '{}')).status, 200, 'which changes nothing');
  const removal = await service.call('/pets/1', { method: 'DELETE' });
  await assertError(removal, 'conflict', ordered);
  await service.call('/store/orders/1/complete', { method: 'POST' });
  assert.equal((await patch(service, '/pets/1', '{"status":"available"}')).status, 200);
  assert.equal((await service.call('/pets/1', { method: 'DELETE' })).status, 204);
  assert.match(await (await service.get('/store/orders/1')).text(), /"petId":1,/, 'what was, was');
});
