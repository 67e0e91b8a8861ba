import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { PASSWORD_COST } from '../../server/src/accounts/passwords.ts';
import { assertError, json, PASSWORD, type Service, startService } from '../support/service.ts';

const WINDOW_MS = 15 * 60_000;

/** Behind a proxy that says where a visitor comes from. */
const BEHIND_PROXY = { trustedProxies: ['127.0.0.1'] };

function tryFrom(service: Service, ip: string, email: string, password = 'wrong password') {
  const from = { 'x-forwarded-for': ip };
  return service.visitor().call('POST', '/api/session', { email, password }, from);
}

onBothEngines('after ten wrong tries even the right password waits for the window', async (t) => {
  let clock = Date.now();
  const service = await startService(t, BEHIND_PROXY, { now: () => clock });
  await service.signUp('ann@example.com');
  for (let at = 0; at < 10; at++) {
    await assertError(await tryFrom(service, '10.0.0.1', 'Ann@example.com'), 401, 'unauthorized');
  }
  clock += WINDOW_MS / 3;
  const refused = await tryFrom(service, '10.0.0.1', 'ann@example.com', PASSWORD);
  assert.equal(refused.headers.get('retry-after'), `${(WINDOW_MS * 2) / 3 / 1_000}`);
  assert.match(await assertError(refused, 429, 'rate_limited'), /Try again in 10 minutes/);
  await json(await tryFrom(service, '10.0.0.2', 'ann@example.com', PASSWORD));
  clock += (WINDOW_MS * 2) / 3;
  await json(await tryFrom(service, '10.0.0.1', 'ann@example.com', PASSWORD));
});

onBothEngines('a hundred wrong tries at the same time do not get past the limit', async (t) => {
  const service = await startService(t);
  await service.signUp('ann@example.com');
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => tryFrom(service, '', 'ann@example.com')),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([count(401), count(429)], [10, 90]);
});

onBothEngines('tries are limited by place and by account too', async (t) => {
  const service = await startService(t, BEHIND_PROXY);
  await service.signUp('ann@example.com');
  const failures = (key: string) => ({ key, count: 99, resets_at: Date.now() + WINDOW_MS });
  await service.db
    .insertInto('sign_in_failures')
    .values([
      failures('ip:10.0.0.7'),
      failures('ip:2001:db8:0:1::/64'),
      { ...failures('email:bob@example.com'), count: 199 },
    ])
    .execute();
  // The last that may, and the first that may not.
  assert.equal((await tryFrom(service, '10.0.0.7', 'x@example.com')).status, 401);
  assert.equal((await tryFrom(service, '10.0.0.7', 'y@example.com')).status, 429);
  // All of the 2^64 addresses that one subscriber has are one place.
  assert.equal((await tryFrom(service, '2001:db8::1:0:0:0:5', 'x@example.com')).status, 401);
  assert.equal((await tryFrom(service, '2001:db8:0:1::9', 'y@example.com')).status, 429);
  assert.equal((await tryFrom(service, '2001:db8:0:2::9', 'y@example.com')).status, 401);
  assert.equal((await tryFrom(service, '10.0.0.8', 'bob@example.com')).status, 401);
  assert.equal((await tryFrom(service, '10.0.0.9', 'bob@example.com')).status, 429);
});

onBothEngines('right tries do not count', async (t) => {
  const service = await startService(t);
  await service.signUp('ann@example.com');
  for (let at = 0; at < 12; at++) {
    await json(await tryFrom(service, '', 'ann@example.com', PASSWORD));
  }
  const counts = await service.db
    .selectFrom('sign_in_failures')
    .selectAll()
    .where('key', 'not like', 'sign-up:%')
    .execute();
  assert.ok(counts.every(({ count }) => count === 0));
});

onBothEngines('no response tells whether an address has an account', async (t) => {
  const service = await startService(t);
  await service.signUp('ann@example.com');
  const seen = async (email: string) => {
    const told = [];
    for (let at = 0; at < 12; at++) {
      const answer = await tryFrom(service, '', email);
      const headers = [...answer.headers.keys()].sort();
      told.push({ status: answer.status, headers, body: await answer.text() });
    }
    return told;
  };
  const known = await seen('ann@example.com');
  assert.equal(known[0]?.status, 401);
  assert.equal(known.at(-1)?.status, 429);
  assert.deepEqual(await seen('nobody@example.com'), known);
});

// What this process works and not how long it waits for a core: passwords are all that it does then.
test('an address without an account takes as long as one with', async (t) => {
  const service = await startService(t, BEHIND_PROXY, { passwordCost: PASSWORD_COST });
  await service.signUp('ann@example.com');
  const times = { 'ann@example.com': [] as number[], 'nobody@example.com': [] as number[] };
  for (let at = 0; at < 21; at++) {
    for (const [email, taken] of Object.entries(times)) {
      const before = process.cpuUsage();
      await (await tryFrom(service, `10.0.1.${at}`, email)).text();
      const { user, system } = process.cpuUsage(before);
      taken.push((user + system) / 1_000);
    }
  }
  const [known = 0, unknown = 0] = Object.values(times).map(median);
  assert.ok(unknown > known * 0.6 && known > unknown * 0.6, `${known} ms, ${unknown} ms`);
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
