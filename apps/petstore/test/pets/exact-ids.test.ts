import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { INT64_MAX, INT64_MIN } from '../../src/int64.ts';
import { assertError } from '../support/assert-error.ts';
import { startService } from '../support/service.ts';

const IDS = [INT64_MIN, -9007199254740993n, 0n, 9007199254740993n, INT64_MAX - 1n];

test('ids at the ends of int64 survive get, list, links and a new id', async (t) => {
  const service = await startService(t);
  await service.store.pets.addMany(
    IDS.map((id) => ({ id, name: 'Rex', categoryId: id, status: 'sold' })),
  );
  const { get, post, key } = service;
  const pet = (id: bigint) => `{"id":${id},"name":"Rex","categoryId":${id},"status":"sold"}`;
  for (const id of IDS) assert.equal(await (await get(`/pets/${id}`)).text(), pet(id));

  for (const filter of ['', '&status=sold']) {
    const pages: string[] = [];
    let url: string | undefined = `${service.origin}/v1/pets?limit=1${filter}`;
    while (url) {
      assert.ok(pages.length < 100, 'the links lead to an end');
      const page: Response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      pages.push(await page.text());
      url = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(
      pages,
      IDS.map((id) => `[${pet(id)}]`),
    );
  }

  const last = await post('/pets', '{"name":"last","categoryId":1}');
  assert.equal(last.headers.get('location'), `${service.origin}/v1/pets/${INT64_MAX}`);
  assert.match(await last.text(), new RegExp(`^{"id":${INT64_MAX},`));
  // No id is left to give: an honest refusal, and the rest goes on.
  await assertError(await post('/pets', '{"name":"one more","categoryId":1}'), 'unavailable');
  assert.equal((await get(`/pets/${INT64_MAX}`)).status, 200);
});
