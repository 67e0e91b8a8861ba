import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import type { PetFields } from '../../src/pets/pet.ts';
import { assertError } from '../support/assert-error.ts';
import { startWithSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';

// The method QUERY on /v1/pets: RFC 10008.

type Call = (path: string, init?: RequestInit) => Promise<Response>;

const JSON_TYPE = { 'content-type': 'application/json' };

function query(call: Call, filter: string, headers: Record<string, string> = {}) {
  return call('/pets', { method: 'QUERY', body: filter, headers: { ...JSON_TYPE, ...headers } });
}

const idsIn = (json: string) =>
  [...json.matchAll(/"id":(-?\d+)/g)].map(([, id]) => BigInt(`${id}`));

function nextOf({ headers }: Response): string | undefined {
  return /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** The path of an address behind `/v1`. */
const pathOf = (address: string) => address.slice(address.indexOf('/v1/') + 3);

/** The ids on all pages of a query, as a client that follows links gets them, and how many pages there were. */
async function followed(call: Call, filter: string): Promise<{ ids: bigint[]; pages: number }> {
  const ids: bigint[] = [];
  let pages = 0;
  for (let page = await query(call, filter); ; ) {
    assert.equal(page.status, 200);
    ids.push(...idsIn(await page.text()));
    pages++;
    const next = nextOf(page);
    if (next === undefined) return { ids, pages };
    page = await call(pathOf(next));
  }
}

const pet = (name: string, categoryId = 1n, status: PetFields['status'] = 'available') => ({
  ...{ name, categoryId, status, id: undefined },
});

/** Names that are close to each other in some sense. */
const NAMES = [
  ...['Rex', 'rex', 'Re', 'R', 'Rey', 'Rexa', 'Rex%', 'R_x', '%', '_', "'", '\\', '*', '[a]', '?'],
  ...['é', 'e\u0301', '犬', '犬太', '🐈', '🐈‍⬛', '\u{10FFFF}', '\u{10FFFF}a', '\uffff', 'ß', 'ss'],
];
const CATEGORIES = [1n, 2n, 9007199254740993n, INT64_MIN, INT64_MAX];
const STATUSES = ['available', 'pending', 'sold'] as const;

const ANIMALS = Array.from({ length: 150 }, (_, i) => ({
  ...pet(NAMES[i % NAMES.length] as string, CATEGORIES[i % 5], STATUSES[i % 3]),
}));

interface Filter {
  name?: { prefix: string };
  categoryId?: bigint[];
  status?: PetFields['status'][];
  id?: { from?: bigint; to?: bigint };
  limit?: number;
}

const toJson = (value: unknown) =>
  JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(`${member}`) : member,
  );

const anId = fc.oneof(fc.bigInt(-3n, 160n), fc.constantFrom(INT64_MIN, INT64_MAX));
const aFilter: fc.Arbitrary<Filter> = fc.record(
  {
    name: fc.record({
      prefix: fc
        .constantFrom('', 'Rexab', ...NAMES)
        .chain((name) => fc.nat([...name].length).map((n) => [...name].slice(0, n).join(''))),
    }),
    categoryId: fc.array(fc.constantFrom(3n, ...CATEGORIES), { minLength: 1, maxLength: 50 }),
    status: fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 3 }),
    id: fc
      .tuple(anId, anId)
      .map(([a, b]): { from?: bigint; to?: bigint } => ({ from: a < b ? a : b, to: a < b ? b : a }))
      .chain(({ from = 0n, to = 0n }) => fc.constantFrom({ from, to }, { from }, { to }, {})),
    limit: fc.integer({ min: 1, max: 100 }),
  },
  { requiredKeys: [] },
);

function meets(filter: Filter, id: bigint, animal: PetFields): boolean {
  const { name, categoryId, status, id: { from = INT64_MIN, to = INT64_MAX } = {} } = filter;
  return (
    animal.name.startsWith(name?.prefix ?? '') &&
    (categoryId?.includes(animal.categoryId) ?? true) &&
    (status?.includes(animal.status) ?? true) &&
    id >= from &&
    id <= to
  );
}

onBothEngines('a query shows what a list shows that meets its filter', async (t) => {
  const { call, store, inSandbox } = await startWithSandbox(t, { pets: 0 });
  await store.pets.addMany(ANIMALS);
  for (const { id: _, ...animal } of ANIMALS) {
    assert.equal((await inSandbox('/pets', { method: 'POST', body: toJson(animal) })).status, 201);
  }
  const check = fc.asyncProperty(aFilter, async (filter) => {
    const expected = ANIMALS.map((animal, i) => [BigInt(i + 1), animal] as const)
      .filter(([id, animal]) => meets(filter, id, animal))
      .map(([id]) => id);
    for (const each of [call, inSandbox]) {
      const { ids, pages } = await followed(each, toJson(filter));
      assert.deepEqual(ids, expected);
      assert.equal(pages, Math.max(1, Math.ceil(expected.length / (filter.limit ?? 20))));
    }
  });
  await fc.assert(check, { numRuns: 60 });
});

onBothEngines(
  'a page of a query is tagged, and its next page and its address are for GET',
  async (t) => {
    const { call, store } = await startService(t);
    await store.pets.addMany([...Array(5).fill(pet('Rex')), pet('Ada')]);
    const filter = '{"name":{"prefix":"R"},"limit":2}';
    const first = await query(call, filter);
    assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(first.headers.get('cache-control'), 'private, no-cache');
    assert.equal(first.headers.get('accept-query'), 'application/json');
    const body = await first.text();
    assert.deepEqual(idsIn(body), [1n, 2n]);

    const location = pathOf(first.headers.get('location') ?? '');
    const ifMatch = { 'if-match': '"x"' };
    for (const refused of [
      await query(call, filter, ifMatch),
      await call(location, { headers: ifMatch }),
    ]) {
      await assertError(refused, 'precondition_failed', /If-Match .* Read it again first\.$/);
    }
    const repeated = await call(location);
    assert.equal(await repeated.text(), body);
    for (const name of ['etag', 'link', 'cache-control']) {
      assert.equal(repeated.headers.get(name), first.headers.get(name), name);
    }
    assert.equal(repeated.headers.get('location'), null);
    assert.equal(
      (await call(location, { method: 'HEAD' })).headers.get('etag'),
      first.headers.get('etag'),
    );

    const ifNoneMatch = { 'if-none-match': first.headers.get('etag') ?? '' };
    for (const same of [
      await query(call, filter, ifNoneMatch),
      await query(
        call,
        ' { "limit": 2.0, "other": [1], "name": {"prefix": "\\u0052"} }',
        ifNoneMatch,
      ),
      await call(location, { headers: ifNoneMatch }),
    ]) {
      assert.equal(same.status, 304);
      assert.equal(await same.text(), '');
      assert.equal(same.headers.get('etag'), first.headers.get('etag'));
      assert.equal(same.headers.get('link'), first.headers.get('link'));
    }
    await assertError(await query(call, filter, { 'if-match': '"other"' }), 'precondition_failed');

    // Two filters that nothing meets give the same body at the same address, and are two responses all the same.
    const none = await query(call, '{"name":{"prefix":"x"}}');
    assert.equal(await none.text(), '[]');
    const other = await query(call, '{"name":{"prefix":"y"}}', {
      'if-none-match': none.headers.get('etag') ?? '',
    });
    assert.equal(other.status, 200);
    assert.notEqual(other.headers.get('etag'), none.headers.get('etag'));
    assert.notEqual(other.headers.get('location'), none.headers.get('location'));

    await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'sold' });
    assert.equal((await query(call, filter, ifNoneMatch)).status, 304);
    await store.pets.update(1n, { name: 'Rey' });
    assert.equal((await query(call, filter, ifNoneMatch)).status, 200);
  },
);

onBothEngines('a page ends where enough was looked at, and leads on', async (t) => {
  const { call, store } = await startService(t);
  const many = Array.from({ length: 45_000 }, (_, i) => pet(i === 44_000 ? 'Ada' : 'Rex'));
  await store.pets.addMany(many);
  const filter = '{"name":{"prefix":"A"}}';
  const first = await query(call, filter);
  assert.equal(await first.text(), '[]');
  assert.ok(nextOf(first));
  assert.deepEqual(await followed(call, filter), { ids: [44_001n], pages: 3 });
  // What lies beyond the range is not looked at.
  const short = await followed(call, '{"name":{"prefix":"A"},"id":{"from":5,"to":20004}}');
  assert.deepEqual(short, { ids: [], pages: 1 });
  const longer = await followed(call, '{"name":{"prefix":"A"},"id":{"from":5,"to":20005}}');
  assert.deepEqual(longer, { ids: [], pages: 2 });
});

onBothEngines('following links while others add shows each animal once', async (t) => {
  const { call, store } = await startService(t);
  const add = (name: string) => store.pets.create({ name, categoryId: 1n, status: 'available' });
  for (let i = 0; i < 20; i++) await add(i % 2 ? 'Ada' : 'Rex');
  const ids: bigint[] = [];
  let page = await query(call, '{"name":{"prefix":"A"},"limit":3}');
  for (let added = 0; ; added++) {
    ids.push(...idsIn(await page.text()));
    const next = nextOf(page);
    if (next === undefined) break;
    const adding = added < 5 ? [add('Ada'), add('Rex')] : [];
    page = await call(pathOf(next));
    await Promise.all(adding);
  }
  const all = await followed(call, '{"name":{"prefix":"A"}}');
  assert.deepEqual(ids, all.ids.slice(0, ids.length));
  assert.ok(all.ids.length - ids.length <= 2, 'the last page saw what was there');
});

async function assertSays(answer: Response, message: string): Promise<void> {
  const body = answer.clone();
  await assertError(answer, 'invalid_request');
  assert.equal(((await body.json()) as { message: string }).message, message);
}

const LONG = 'x'.repeat(256);
const CATEGORY = 'an integer from -9223372036854775808 to 9223372036854775807';
const PREFIX =
  'must be a string of 0 to 255 characters, none of them a control character or a lone surrogate.';

const REFUSED: readonly [body: string, message: string][] = [
  ['[]', 'The body must be a JSON object.'],
  ['{"name":"Rex"}', 'name must be a JSON object.'],
  ['{"name":{}}', `name.prefix is required and ${PREFIX}`],
  ['{"name":{"prefix":1}}', `name.prefix ${PREFIX}`],
  [`{"name":{"prefix":"${LONG}"}}`, `name.prefix ${PREFIX}`],
  ['{"name":{"prefix":"\\u0000"}}', `name.prefix ${PREFIX}`],
  ['{"name":{"prefix":"\\ud83d"}}', `name.prefix ${PREFIX}`],
  ['{"categoryId":1}', `categoryId must be a list of 1 to 50, each ${CATEGORY}.`],
  ['{"categoryId":[]}', `categoryId must be a list of 1 to 50, each ${CATEGORY}.`],
  ['{"categoryId":["1"]}', `categoryId must be a list of 1 to 50, each ${CATEGORY}.`],
  ['{"categoryId":[[1]]}', `categoryId must be a list of 1 to 50, each ${CATEGORY}.`],
  [
    '{"categoryId":[9223372036854775808]}',
    `categoryId must be a list of 1 to 50, each ${CATEGORY}.`,
  ],
  [
    `{"categoryId":[${Array(51).fill(1)}]}`,
    `categoryId must be a list of 1 to 50, each ${CATEGORY}.`,
  ],
  ['{"status":["gone"]}', 'status must be a list of 1 to 3, each one of available, pending, sold.'],
  ['{"id":{"from":1.5}}', `id.from must be ${CATEGORY}.`],
  ['{"id":{"to":-9223372036854775809}}', `id.to must be ${CATEGORY}.`],
  ['{"id":{"from":2,"to":1}}', 'id.from must be at most id.to, which is 1.'],
  ['{"limit":0}', 'limit must be an integer from 1 to 100.'],
  ['{"limit":"5"}', 'limit must be an integer from 1 to 100.'],
  [
    '{"limit":101,"id":null,"status":[null]}',
    'status must be a list of 1 to 3, each one of available, pending, sold; id must be a JSON object; limit must be an integer from 1 to 100.',
  ],
];

onBothEngines('what is wrong with a filter is told, member by member', async (t) => {
  const { call, origin, key } = await startService(t);
  for (const [body, message] of REFUSED) {
    await assertSays(await query(call, body), message);
  }
  const invalid: readonly string[] = [
    '',
    '{',
    '{"a":{"b":1,"b":1}}',
    '{"limit":1,"limit":1}',
    `${'['.repeat(40)}`,
  ];
  for (const body of invalid) await assertError(await query(call, body), 'invalid_json');
  const huge = `{"name":{"prefix":"${'x'.repeat(10_000_000)}"}}`;
  await assertError(await query(call, huge), 'payload_too_large');
  const many = `{"categoryId":[${Array(30_000).fill(1)}]}`;
  await assertError(await query(call, many), 'invalid_request');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
    const refused = await query(call, '{}', { 'content-type': type });
    await assertError(refused, 'unsupported_media_type');
    assert.equal(refused.headers.get('accept-query'), 'application/json');
  }
  const authorization = `Bearer ${key}`;
  const bare = await fetch(`${origin}/v1/pets`, { method: 'QUERY', headers: { authorization } });
  await assertError(bare, 'unsupported_media_type');
  // An unknown member is ignored, as in every body.
  assert.equal((await query(call, '{"nmae":{"prefix":"x"}}')).status, 200);
});

onBothEngines('an address that no query gave is a 404', async (t) => {
  const { call, store } = await startService(t);
  await store.pets.create({ name: 'Rex', categoryId: 1n, status: 'available' });
  const { headers } = await query(call, toJson({ name: { prefix: '"'.repeat(255) }, limit: 5 }));
  const location = pathOf(headers.get('location') ?? '');
  assert.equal((await call(location)).status, 200);
  const token = (value: unknown) => Buffer.from(toJson(value)).toString('base64url');
  for (const made of [
    ...['x', '%00', location.slice('/pets/queries/'.length, -1), `${'A'.repeat(7_000)}`],
    ...[token({}), token({ limit: 20, other: 1 }), token({ status: ['sold', 'sold'], limit: 1 })],
    ...[token({ limit: 500 }), token({ limit: 5, after: '1' }), token([]), token(null)],
  ]) {
    await assertError(await call(`/pets/queries/${made}`), 'not_found');
  }
  // Behind the last id that there can be nothing follows.
  const end = await call(`/pets/queries/${token({ limit: 5, after: INT64_MAX })}`);
  assert.deepEqual([end.status, await end.text(), nextOf(end)], [200, '[]', undefined]);
  // The longest that there is.
  const categories = Array.from({ length: 50 }, (_, i) => INT64_MIN + BigInt(i));
  const longest = toJson({
    ...{ name: { prefix: '🐈'.repeat(255) }, categoryId: categories, status: STATUSES },
    ...{ id: { from: INT64_MIN, to: INT64_MAX }, limit: 100 },
  });
  const address = (await query(call, longest)).headers.get('location') ?? '';
  assert.ok(address.length < 3_200, `${address.length}`);
  assert.equal((await call(pathOf(address))).status, 200);
});

onBothEngines('a query needs the scope of reading, and a sandbox shows its own', async (t) => {
  const writer = await startService(t, { scopes: ['pets:write'] });
  await assertError(await query(writer.call, '{}'), 'forbidden', /pets:read/);
  const everything = Buffer.from('{"limit":20}').toString('base64url');
  await assertError(await writer.call(`/pets/queries/${everything}`), 'forbidden', /pets:read/);
  const { call, store, inSandbox, origin } = await startWithSandbox(t, { pets: 3 });
  await store.pets.addMany([pet('Own')]);
  const own = await query(call, '{"limit":1}');
  assert.deepEqual(idsIn(await own.text()), [1n]);
  const sandboxed = await query(inSandbox, '{"limit":2}');
  assert.deepEqual(idsIn(await sandboxed.text()), [1n, 2n]);
  assert.equal((await call(`/pets/queries/${everything}`)).status, 200);
  const next = pathOf(nextOf(sandboxed) ?? '');
  assert.deepEqual(idsIn(await (await inSandbox(next)).text()), [3n]);
  assert.deepEqual(idsIn(await (await call(next)).text()), []);
  const failing = await inSandbox('/pets', {
    ...{ method: 'QUERY', body: '{}', fault: 'status=503' },
  });
  assert.equal(failing.status, 503);
  assert.match(failing.headers.get('petstore-fault-applied') ?? '', /^status=503/);
  const without = await fetch(`${origin}/v1/pets`, { method: 'QUERY', body: '{}' });
  await assertError(without, 'unauthorized');
});

onBothEngines('the path says that it takes queries', async (t) => {
  const { call, origin } = await startService(t, {
    config: { corsOrigins: ['https://shop.example.com'] },
  });
  for (const method of ['OPTIONS', 'PUT']) {
    const refused = await call('/pets', { method });
    await assertError(refused, 'method_not_allowed');
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST, QUERY');
    assert.equal(refused.headers.get('accept-query'), 'application/json');
  }
  const elsewhere = await query((_path, init) => call('/pets/1', init), '{}');
  await assertError(elsewhere, 'method_not_allowed');
  assert.equal(elsewhere.headers.get('accept-query'), null);
  const preflight = await fetch(`${origin}/v1/pets`, {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'QUERY' },
  });
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bQUERY\b/);

  const stable = await startService(t, { config: { stability: 'stable' } });
  const absent = await query(stable.call, '{}');
  assert.equal(absent.headers.get('accept-query'), null);
  await assertError(absent, 'method_not_allowed', /use GET, HEAD, POST\.$/);
  await assertError(await stable.call('/pets/queries/e30'), 'not_found');
  assert.equal(
    (await stable.call('/pets', { method: 'PUT' })).headers.get('allow'),
    'GET, HEAD, POST',
  );
});
