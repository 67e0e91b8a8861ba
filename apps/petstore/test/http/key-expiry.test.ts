import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import { generateKey } from '../../src/keys/key.ts';
import { isRefusal } from '../../src/refusal.ts';
import { assertError } from '../support/assert-error.ts';
import { type Service, startService } from '../support/service.ts';

const END = Date.parse('2027-01-31T12:00:00.000Z');

const asked = ({ call }: Service, key: string, path: string) =>
  call(path, { headers: { authorization: `Bearer ${key}` } });

async function assertExpired(answer: Response): Promise<void> {
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
  await assertError(answer, 'unauthorized', /has expired/);
}

test('a key works until the millisecond in which it ends, on the fast path too', async (t) => {
  let now = END - 60_000;
  const service = await startService(t, { now: () => now });
  await service.post('/pets', '{"name":"Rex","categoryId":1}');
  const made = generateKey('x', 'production', new Date(now), { expiresAt: new Date(END) });
  await service.store.keys.add(made);
  const paths = ['/pets', '/pets/1', '/store/orders'];
  for (const at of [END - 60_000, END - 1]) {
    now = at;
    for (const path of [...paths, ...paths]) {
      assert.equal((await asked(service, made.key, path)).status, 200, path);
    }
  }
  for (const at of [END, END + 1]) {
    now = at;
    for (const path of paths) await assertExpired(await asked(service, made.key, path));
    for (const path of paths) assert.equal((await service.get(path)).status, 200);
  }
});

test('a key that was rotated works for as long as the overlap, and its successor from the start', async (t) => {
  let now = END - 60_000;
  const service = await startService(t, { now: () => now });
  const { keys } = service.store;
  const made = generateKey('x', 'production', new Date(now), { scopes: ['pets:read'] });
  await keys.add(made);
  assert.equal((await asked(service, made.key, '/pets')).status, 200);
  const order = { at: new Date(now), until: new Date(END) };
  const rotation = await keys.rotate(made.record.id, order);
  assert.ok(!isRefusal(rotation));
  const { key } = rotation.successor;
  for (const either of [made.key, key]) {
    assert.equal((await asked(service, either, '/pets')).status, 200);
    await assertError(await asked(service, either, '/store/orders'), 'forbidden');
  }
  now = END;
  await assertExpired(await asked(service, made.key, '/pets'));
  assert.equal((await asked(service, key, '/pets')).status, 200);
});
