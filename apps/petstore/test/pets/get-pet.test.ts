import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

test('the response has the animal as a Pet', async (t) => {
  const { post, get } = await startService(t);
  await post('/pets', '{"name":"Rex","categoryId":7}');
  const answer = await get('/pets/1');
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
});

test('an id that no animal has, or that is not an int64, is a 404', async (t) => {
  const { post, get } = await startService(t);
  await post('/pets', '{"name":"Rex","categoryId":7}');
  const ids = [
    '2',
    '0',
    '-1',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '-9223372036854775809',
    '1.0',
    '1e0',
    '01',
    '+1',
    '0x1',
    '%201',
    'rex',
    '%F0%9F%90%88',
    '1%00',
    '١',
    'x'.repeat(4000),
    '9'.repeat(4000),
  ];
  for (const id of ids) {
    await assertError(await get(`/pets/${id}`), 'not_found', /^No animal has this id\.$/);
  }
});
