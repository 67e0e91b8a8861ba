import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const names = fc
  .string({ minLength: 1, maxLength: 255, unit: 'binary' })
  .filter((name) => !CONTROL.test(name) && name.isWellFormed() && [...name].length <= 255);

const int64s = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(0n, 9007199254740993n, -9007199254740993n, INT64_MAX, INT64_MIN),
);

const statuses = fc.constantFrom('available', 'pending', 'sold');

/** Any JSON, without the members that no body may have. */
const extras = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => !/"(?:__proto__|prototype)":/.test(JSON.stringify(value)));

/** Any valid body, in any spelling of its members and with any members besides. */
const newPets = fc.record(
  { name: names, categoryId: int64s, status: statuses, extra: extras },
  { requiredKeys: ['name', 'categoryId'] },
);

/** JSON with bigints as they are, which JSON.stringify refuses. */
function toJson(members: Record<string, unknown>): string {
  const written = Object.entries(members).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
  );
  return `{${written.join(',')}}`;
}

test('any pet that the schema allows comes back byte for byte from create, get and list', async (t) => {
  const { post, get } = await startService(t);
  let lastId = 0;
  await fc.assert(
    fc.asyncProperty(newPets, async ({ name, categoryId, status = 'available', ...rest }) => {
      const body = toJson({
        name,
        categoryId,
        ...(status === 'available' ? {} : { status }),
        ...rest,
      });
      const created = await post('/pets', body);
      const text = await created.text();
      assert.equal(created.status, 201, text);
      const id = ++lastId;
      assert.equal(text, toJson({ id, name, categoryId, status }));
      assert.equal(await (await get(`/pets/${id}`)).text(), text);
      const page = await (await get(`/pets?limit=1&cursor=${cursorAfter(id - 1)}`)).text();
      assert.equal(page, `[${text}]`);
    }),
    { numRuns: 300 },
  );
});

/** The cursor that a Link of the page ending in this id carries. */
function cursorAfter(id: number): string {
  const bytes = Buffer.alloc(9, 1);
  bytes.writeBigInt64BE(BigInt(id), 1);
  return bytes.toString('base64url');
}

const notStrings = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string()),
  fc.dictionary(fc.string(), fc.string()).filter((value) => !Object.hasOwn(value, '__proto__')),
);

const badNames = fc.oneof(
  notStrings,
  fc.constant(''),
  fc.string({ minLength: 256, maxLength: 400, unit: fc.constantFrom('x', 'é', '🐈') }),
  fc
    .tuple(
      fc.string(),
      fc.constantFrom('\u0000', '\n', '\u001f', '\u007f', '\u009f', '\ud83d', '\udc08'),
    )
    .map(([text, bad]) => `${text}${bad} ${text}`),
);

/** Written JSON that is no integer within int64. */
const badIntegers = fc.oneof(
  fc.bigInt({ min: INT64_MAX + 1n, max: 10n ** 40n }).map(String),
  fc.bigInt({ min: -(10n ** 40n), max: INT64_MIN - 1n }).map(String),
  fc.tuple(int64s, fc.integer({ min: 1, max: 999 })).map(([whole, part]) => `${whole}.0${part}`),
  fc.integer({ min: 20, max: 99_999 }).map((exponent) => `1e${exponent}`),
  fc.integer({ min: 1, max: 99_999 }).map((exponent) => `7e-${exponent}`),
  fc.constantFrom('null', 'true', '"5"', '[5]', '{}', '""'),
);

const badStatuses = fc.oneof(
  notStrings,
  fc.string().filter((text) => !['available', 'pending', 'sold'].includes(text)),
);

const mutations = fc.oneof(
  badNames.map((name) => `{"name":${JSON.stringify(name)},"categoryId":1}`),
  badIntegers.map((literal) => `{"name":"Rex","categoryId":${literal}}`),
  badStatuses.map((status) => `{"name":"Rex","categoryId":1,"status":${JSON.stringify(status)}}`),
  fc.constantFrom('{"name":"Rex"}', '{"categoryId":1}', '{"Name":"Rex","categoryId":1}', '[]', '1'),
);

test('any body outside the schema is a 400 that leaves the store unchanged', async (t) => {
  const { post, get } = await startService(t);
  await fc.assert(
    fc.asyncProperty(mutations, async (body) => {
      await assertError(await post('/pets', body), 'invalid_request');
    }),
    { numRuns: 500 },
  );
  assert.equal(await (await get('/pets')).text(), '[]');
});

test('any bytes at all as a body get an Error and leave the store unchanged', async (t) => {
  const { post, get } = await startService(t);
  const valid = Buffer.from('{"name":"Rex","categoryId":1,"status":"sold"}');
  const damaged = fc
    .tuple(fc.nat(valid.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }))
    .map(([at, bytes]) => Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + 1)]));
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), async (bytes) => {
      const answer = await post('/pets', new Uint8Array(bytes));
      if (answer.status === 201) stored++;
      else assert.equal(answer.status, 400);
      assert.ok(await answer.json());
    }),
    { numRuns: 500 },
  );
  const pets = (await (await get('/pets?limit=100')).json()) as unknown[];
  assert.equal(pets.length, Math.min(stored, 100));
});
