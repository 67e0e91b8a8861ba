import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertWithin, cpuTimeOfRequest } from '@petstore/test-support/within.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

/** Sends bodies, each of which must be refused with `invalid_json`, and shows the store untouched. */
async function refuses(t: TestContext, bodies: [string | Uint8Array<ArrayBuffer>, RegExp][]) {
  const { post, get } = await startService(t);
  for (const [body, message] of bodies) {
    await assertError(await post('/pets', body), 'invalid_json', message);
  }
  assert.equal(await (await get('/pets')).text(), '[]');
}

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part)),
  );

test('text that is not JSON is refused with the place of the error', (t) =>
  refuses(t, [
    ['', /^The body is empty; it must be a JSON object\.$/],
    ['{', /^The body is not JSON: .*position 1/],
    ['{"name":"Rex","categoryId":1,}', /^The body is not JSON: .*position 29/],
    ["{'name':'Rex','categoryId':1}", /^The body is not JSON/],
    ['{"name":"Rex","categoryId":1} {}', /^The body is not JSON/],
    ['{"name":"Rex","categoryId":01}', /^The body is not JSON/],
    ['{"name":"Rex","categoryId":.5}', /^The body is not JSON/],
    ['{"name":"Rex","categoryId":NaN}', /^The body is not JSON/],
    ['{"name":"Rex","categoryId":1/*c*/}', /^The body is not JSON/],
    ['{"name":"R\nex","categoryId":1}', /^The body is not JSON/],
    ['{"name":"R\\xex","categoryId":1}', /^The body is not JSON/],
    ['{"na\\u00":"Rex","categoryId":1}', /^The body is not JSON/],
    ['name=Rex&categoryId=1', /^The body is not JSON/],
  ]));

test('bytes that are not UTF-8, and a byte order mark, are refused', (t) =>
  refuses(t, [
    [bytes('{"name":"R', [0xff], '","categoryId":1}'), /not valid UTF-8/],
    [bytes('{"name":"R', [0xed, 0xa0, 0x80], '","categoryId":1}'), /not valid UTF-8/],
    [bytes('{"name":"R', [0xc0, 0xaf], '","categoryId":1}'), /not valid UTF-8/],
    [bytes('{"name":"R', [0xf0, 0x9f, 0x90], '","categoryId":1}'), /not valid UTF-8/],
    [bytes([0xef, 0xbb, 0xbf], '{"name":"Rex","categoryId":1}'), /byte order mark/],
    [
      new Uint8Array(Buffer.from('\ufeff{"name":"Rex","categoryId":1}', 'utf16le')),
      /not valid UTF-8/,
    ],
  ]));

test('a member that stands twice in one object is refused, however it is spelled', (t) =>
  refuses(t, [
    ['{"name":"Rex","categoryId":1,"categoryId":1}', /has the member "categoryId" twice/],
    ['{"name":"Rex","categoryId":1,"n\\u0061me":"Ada"}', /has the member "name" twice/],
    ['{"name":"Rex","categoryId":1,"x":{"a":1,"b":[{"c":1}],"a":2}}', /has the member "a" twice/],
    ['{"name":"Rex", "name" \n:"Ada","categoryId":1}', /has the member "name" twice/],
  ]));

test('the same member in different objects, and strings that look like members, are not repetitions', async (t) => {
  const { post } = await startService(t);
  const answer = await post(
    '/pets',
    '{"name":"\\"name\\":{[","categoryId":1,"x":{"name":1},"y":[{"name":1},{"name":1},"name"],"":1}',
  );
  assert.equal(answer.status, 201);
});

test('members that reach for a prototype are refused, at any depth', (t) =>
  refuses(t, [
    [
      '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}',
      /must not have a member "__proto__"/,
    ],
    ['{"name":"Rex","categoryId":1,"__proto__":null}', /must not have a member "__proto__"/],
    ['{"name":"Rex","categoryId":1,"\\u005f_proto__":1}', /must not have a member "__proto__"/],
    ['{"name":"Rex","categoryId":1,"x":[{"__proto__":[]}]}', /must not have a member "__proto__"/],
    [
      '{"name":"Rex","categoryId":1,"constructor":{"prototype":{}}}',
      /must not have a member "constructor"/,
    ],
  ]));

test('nesting is refused beyond 32 levels and taken up to there', async (t) => {
  const nested = (levels: number) =>
    `{"name":"Rex","categoryId":1,"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  await refuses(t, [
    [nested(32), /nested deeper than 32 levels/],
    [nested(30_000), /nested deeper than 32 levels/],
    ['{"x":'.repeat(10_000), /nested deeper than 32 levels/],
    ['['.repeat(65_536), /nested deeper than 32 levels/],
  ]);
  const { post } = await startService(t);
  assert.equal((await post('/pets', nested(31))).status, 201);
});

test('a hostile body of the largest size is refused within a second', async (t) => {
  const { post } = await startService(t);
  const filled = (start: string, unit: string, end: string) =>
    start + unit.repeat(Math.floor((65_536 - start.length - end.length) / unit.length)) + end;
  await assertWithin(1_000, () =>
    cpuTimeOfRequest(async () => {
      await post('/pets', filled('{"name":"Rex","categoryId":1', '0', '1}'));
      await post('/pets', filled('{"name":"Rex","categoryId":1e', '9', '}'));
      await post('/pets', filled('{"name":"Rex","categoryId":1.1', '0', '1}'));
      await post('/pets', filled('{"name":"', '\\u0000', '","categoryId":1}'));
      await post('/pets', filled('{"x":[', '"",', '""]}'));
      await post('/pets', filled('{"x":"', '\\', ''));
      await post('/pets', filled('{', '"\\u0061":1,', '"b":1}'));
    }),
  );
});
