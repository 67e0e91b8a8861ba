import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import fc from 'fast-check';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

function nextOf(answer: Response): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
}

/** Follows the links from a first address to the end; what each page held, as text of its ids. */
async function follow({ key }: Service, first: string): Promise<string[][]> {
  const pages: string[][] = [];
  let url: string | undefined = first;
  while (url) {
    const answer: Response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    assert.ok(pages.length < 100, 'the links lead to an end');
    // As text: JSON.parse would round the ids.
    pages.push(
      [...(await answer.text()).matchAll(/"id":(-?\d+)/g)].map((match) => String(match[1])),
    );
    url = nextOf(answer);
  }
  return pages;
}

async function withPets(t: TestContext, count: number): Promise<Service> {
  const service = await startService(t);
  for (let i = 0; i < count; i++) {
    await service.store.pets.create({
      name: `pet ${i}`,
      categoryId: 1n,
      status: i % 3 === 0 ? 'sold' : 'available',
    });
  }
  return service;
}

test('following the links shows every animal once, and the last page has no link', async (t) => {
  const service = await withPets(t, 45);
  const first = `${service.origin}/v1/pets`;
  const pages = await follow(service, first);
  assert.deepEqual(
    pages.map((page) => page.length),
    [20, 20, 5],
  );
  assert.deepEqual(
    pages.flat(),
    Array.from({ length: 45 }, (_, i) => `${i + 1}`),
  );
  // A page that is exactly full and the last one is followed by nothing, not by an empty page.
  assert.deepEqual(
    (await follow(service, `${first}?limit=15`)).map((page) => page.length),
    [15, 15, 15],
  );
  assert.equal((await follow(service, `${first}?limit=100`)).length, 1);
});

test('a link keeps the page size and the filter, and only an animal that the filter shows is more', async (t) => {
  const service = await withPets(t, 30);
  const pages = await follow(service, `${service.origin}/v1/pets?status=sold&limit=5`);
  assert.deepEqual(pages, [
    ['1', '4', '7', '10', '13'],
    ['16', '19', '22', '25', '28'],
  ]);
  const link = nextOf(await service.get('/pets?status=sold&limit=5'));
  const url = new URL(link ?? '');
  assert.deepEqual([...url.searchParams.keys()], ['limit', 'status', 'cursor']);
});

test('a link is an absolute address below the configured base address', async (t) => {
  const service = await startService(t, {
    config: { baseUrl: 'https://api.example.com/shop/v1' },
  });
  for (let i = 0; i < 2; i++) await service.post('/pets', '{"name":"Rex","categoryId":1}');
  const answer = await service.get('/pets?limit=1');
  assert.match(
    answer.headers.get('link') ?? '',
    /^<https:\/\/api\.example\.com\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/,
  );
});

test('a cursor that this service did not give out is a 400', async (t) => {
  const service = await withPets(t, 3);
  const good = new URL(nextOf(await service.get('/pets?limit=1')) ?? '').searchParams.get('cursor');
  assert.ok(good);
  const made = (bytes: number[]) => Buffer.from(bytes).toString('base64url');
  const wrong = [
    '5',
    'AAAA',
    `${good}A`,
    good.slice(0, -1),
    `${good}=`,
    ` ${good}`,
    good.replace(/^A/, 'a'),
    made([2, 0, 0, 0, 0, 0, 0, 0, 1]),
    made([1, 0, 0, 0, 0, 0, 0, 1]),
    '🐈',
    "' OR 1=1",
    '../..',
  ];
  for (const cursor of wrong) {
    await assertError(
      await service.get(`/pets?cursor=${encodeURIComponent(cursor)}`),
      'invalid_cursor',
      /Link header of this service/,
    );
  }
  await assertError(await service.get('/pets?cursor='), 'invalid_request', /^cursor must be/);
  await assertError(await service.get(`/pets?cursor=${'A'.repeat(65)}`), 'invalid_request');
  assert.equal((await service.get(`/pets?cursor=${good}`)).status, 200);
});

test('any interleaving of adding and following shows each animal that was there once, in order', async (t) => {
  const service = await startService(t);
  let added: string[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('', '&status=sold'),
      fc.array(fc.constantFrom('add sold', 'add other', 'next'), { maxLength: 30 }),
      async (before, limit, filter, steps) => {
        // What an earlier run left: a service of its own for each would take most of the time.
        for (const id of added) await service.store.pets.remove(BigInt(id));
        added = [];
        const add = async (status: string) => {
          const body = `{"name":"x","categoryId":1,"status":"${status}"}`;
          const { id } = (await (await service.post('/pets', body)).json()) as { id: number };
          added.push(`${id}`);
        };
        for (let i = 0; i < before; i++) await add('sold');
        const mustShow = [...added];

        const seen: string[] = [];
        let url: string | undefined = `${service.origin}/v1/pets?limit=${limit}${filter}`;
        const next = async () => {
          if (!url) return;
          const answer: Response = await fetch(url, {
            headers: { authorization: `Bearer ${service.key}` },
          });
          seen.push(...[...(await answer.text()).matchAll(/"id":(\d+)/g)].map((m) => String(m[1])));
          url = nextOf(answer);
        };
        for (const step of steps) {
          if (step === 'next') await next();
          else await add(step === 'add sold' ? 'sold' : 'pending');
        }
        for (let i = 0; url && i < 100; i++) await next();
        assert.equal(url, undefined, 'the links lead to an end');

        assert.equal(new Set(seen).size, seen.length, 'no repeat');
        assert.deepEqual(
          seen,
          seen.toSorted((a, b) => Number(a) - Number(b)),
          'in order',
        );
        for (const id of mustShow) assert.ok(seen.includes(id), `no gap at ${id}`);
      },
    ),
    { numRuns: 40 },
  );
});
