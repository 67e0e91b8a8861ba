import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { simulateYear } from './year/year.ts';
import { lifetimeOf, yearPlan } from './year/year-plan.ts';

const HOUR_MS = 3_600_000;

/** How many names there are of each lifetime. */
const OF_EACH = 5;

// The whole year, with 10,000 names: npm run bench:certificates

test('a month with failing authorities and all lifetimes leaves no name without a certificate, within all limits', async (t) => {
  const databaseUrl = `sqlite:${join(await temporaryFolder(t), 'store.db')}`;
  const year = yearPlan(databaseUrl, { days: 30, scale: 30 / 365 });
  const byLifetime = Map.groupBy(year.names, lifetimeOf);
  assert.deepEqual(new Set(byLifetime.keys()), new Set([undefined, 1, 6, 10, 90]));
  const names = [...byLifetime.values()].flatMap((some) => some.slice(0, OF_EACH));
  const plan = { ...year, names, addedInADay: 10 };
  const { days, issued, authorities } = await simulateYear(plan);
  for (const { day, without, leastLeftMs } of days) {
    assert.equal(without, 0, `names without a certificate on day ${day}`);
    assert.ok(leastLeftMs > HOUR_MS, `day ${day}: ${leastLeftMs / HOUR_MS} hours left`);
  }
  assert.equal(days.at(-1)?.names, plan.names.length);
  assert.equal(days.at(-1)?.waiting, 0);
  assert.ok(issued > 2 * plan.names.length, `${issued} certificates`);
  for (const { plan: of, crossed } of authorities) assert.equal(crossed, 0, of.name);
  const totals = authorities.map((_, at) =>
    days.reduce((sum, day) => sum + (day.issued[at] ?? 0), 0),
  );
  for (const total of totals) assert.ok(total > 0, 'each had its turn');
  const [first] = authorities;
  assert.ok(first && first.revoked.told > 0);
  assert.equal(first.revoked.replaced, first.revoked.told);
  assert.ok(first.revoked.longestMs <= HOUR_MS, `${first.revoked.longestMs / HOUR_MS} hours`);
});
