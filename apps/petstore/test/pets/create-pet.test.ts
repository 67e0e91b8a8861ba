import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

test('the response to a new animal is 201, with its Pet and its address', async (t) => {
  const { post, call, origin } = await startService(t);
  const answer = await post('/pets', '{"name":"Rex","categoryId":7,"status":"sold"}');
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('location'), `${origin}/v1/pets/1`);
  const body = await answer.text();
  assert.equal(body, '{"id":1,"name":"Rex","categoryId":7,"status":"sold"}');
  assert.equal(await (await call('/pets/1')).text(), body);
});

test('status is available when it is omitted', async (t) => {
  const { post } = await startService(t);
  const answer = await post('/pets', '{"name":"Rex","categoryId":7}');
  assert.deepEqual(await answer.json(), { id: 1, name: 'Rex', categoryId: 7, status: 'available' });
});

test('members that the interface does not name are ignored, an id too', async (t) => {
  const { post } = await startService(t);
  const answer = await post(
    '/pets',
    '{"id":99,"name":"Rex","categoryId":7,"tags":["a",{"b":[null,1.5,true]}],"constructor":"x","toString":1}',
  );
  assert.equal(answer.status, 201);
  assert.deepEqual(await answer.json(), { id: 1, name: 'Rex', categoryId: 7, status: 'available' });
});

test('an integer may be written in every way that JSON has for it', async (t) => {
  const { post } = await startService(t);
  const spellings: [string, string][] = [
    ['5', '5'],
    ['5.0', '5'],
    ['5e0', '5'],
    ['50E-1', '5'],
    ['0.05e+2', '5'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['0e99999999999999999999', '0'],
    ['1e18', '1000000000000000000'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740993.000', '9007199254740993'],
    ['922337203685477580.7e1', '9223372036854775807'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ];
  for (const [written, stored] of spellings) {
    const answer = await post('/pets', `{"name":"Rex","categoryId":${written}}`);
    assert.equal(answer.status, 201, written);
    assert.match(await answer.text(), new RegExp(`"categoryId":${stored},`), written);
  }
});

test('a body that breaks the schema is a 400 that names the member and what it must be', async (t) => {
  const { post, get } = await startService(t);
  const integer =
    /^categoryId must be an integer from -9223372036854775808 to 9223372036854775807\.$/;
  const name =
    /^name must be a string of 1 to 255 characters, none of them a control character or a lone surrogate\.$/;
  const status = /^status must be one of available, pending, sold\.$/;
  const cases: [string, RegExp][] = [
    ['{"categoryId":1}', /^name is required and must be a string/],
    ['{"name":"Rex"}', /^categoryId is required and must be an integer/],
    ['{}', /^name is required .*; categoryId is required .*\.$/],
    ['{"name":"","categoryId":1}', name],
    [`{"name":"${'x'.repeat(256)}","categoryId":1}`, name],
    ['{"name":null,"categoryId":1}', name],
    ['{"name":5,"categoryId":1}', name],
    ['{"name":["Rex"],"categoryId":1}', name],
    ['{"name":"a\\u0000b","categoryId":1}', name],
    ['{"name":"a\\nb","categoryId":1}', name],
    ['{"name":"a\\u007fb","categoryId":1}', name],
    ['{"name":"a\\u0085b","categoryId":1}', name],
    ['{"name":"a\\ud800b","categoryId":1}', name],
    ['{"name":"\\udc00\\ud800","categoryId":1}', name],
    ['{"name":"Rex","categoryId":"5"}', integer],
    ['{"name":"Rex","categoryId":null}', integer],
    ['{"name":"Rex","categoryId":true}', integer],
    ['{"name":"Rex","categoryId":5.5}', integer],
    ['{"name":"Rex","categoryId":1e-1}', integer],
    ['{"name":"Rex","categoryId":9223372036854775808}', integer],
    ['{"name":"Rex","categoryId":-9223372036854775809}', integer],
    ['{"name":"Rex","categoryId":1e19}', integer],
    ['{"name":"Rex","categoryId":1e999999999}', integer],
    ['{"name":"Rex","categoryId":1,"status":null}', status],
    ['{"name":"Rex","categoryId":1,"status":"Sold"}', status],
    ['{"name":"Rex","categoryId":1,"status":["sold"]}', status],
    ['[{"name":"Rex","categoryId":1}]', /^The body must be a JSON object\.$/],
    ['"Rex"', /^The body must be a JSON object\.$/],
    ['null', /^The body must be a JSON object\.$/],
    ['7', /^The body must be a JSON object\.$/],
  ];
  for (const [body, message] of cases) {
    await assertError(await post('/pets', body), 'invalid_request', message);
  }
  assert.equal(await (await get('/pets')).text(), '[]', 'nothing was stored');
});

test('a name is counted in characters, not in bytes or UTF-16 units, and kept as it is', async (t) => {
  const { post } = await startService(t);
  const names = [
    '🐈'.repeat(255),
    'caf\u00e9',
    'cafe\u0301',
    '\u03a9\u043c\u0435\u0433\u0430 \u72ac ',
    '"\\/\u2028\u2029\uffff\u00a0',
    '<script>',
  ];
  for (const name of names) {
    const answer = await post('/pets', JSON.stringify({ name, categoryId: 1 }));
    assert.equal(answer.status, 201, name);
    assert.equal(((await answer.json()) as { name: string }).name, name);
  }
  const tooLong = await post('/pets', JSON.stringify({ name: '🐈'.repeat(256), categoryId: 1 }));
  await assertError(tooLong, 'invalid_request', /^name must be/);
});

test('ids are assigned in ascending order, each once, also when many are added at once', async (t) => {
  const { post } = await startService(t);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => post('/pets', `{"name":"pet ${i}","categoryId":${i}}`)),
  );
  const ids = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { id: number }).id),
  );
  assert.deepEqual(
    ids.toSorted((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
});
