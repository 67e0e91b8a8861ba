import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { onBothEngines as test } from '@petstore/test-support/engines.ts';
import type { Report } from '../../src/report/report.ts';
import { newSandbox, startWithSandbox } from '../support/sandbox.ts';

const REQUESTS = 600;

/** As much as a client can have recorded of a request: names of parameters, and integers beyond 2^53. */
const NAMES = Array.from({ length: 20 }, (_, i) => `p${i}`.padEnd(31, 'x'));
const IDS = Array.from(
  { length: 20 },
  (_, i) => `"x":{"id":${9_100_000_000_000_000_000n + BigInt(i)}}`,
);
const LONG = { path: `/pets?${NAMES.join('=&')}=`, method: 'POST', body: `{${IDS.join()}}` };

test('however long requests are, those that are kept take 2 MiB, and the report tells that older ones are gone', async (t) => {
  const service = await startWithSandbox(t, { config: { rateLimit: 100_000 } });
  const short = await newSandbox(service);
  const send = async (
    { inSandbox }: Pick<typeof service, 'inSandbox'>,
    { path, ...init }: typeof LONG,
  ) => {
    for (let sent = 0; sent < REQUESTS; sent += 20) {
      const texts = Array.from({ length: 20 }, async () => (await inSandbox(path, init)).text());
      await Promise.all(texts);
    }
    const { requests, sandbox } = (await (await inSandbox('/report')).json()) as Report;
    return { ...requests, kept: await service.store.reports.requests(sandbox) };
  };
  const long = await send(service, LONG);
  const bytes = long.kept.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
  assert.ok(bytes / long.kept.length > 1_000, 'they are long');
  // On SQLite each takes a page of 4 KiB and up to 500 bytes.
  assert.ok(long.count < 512 && long.count > 400, `${long.count} of ${REQUESTS}`);
  assert.equal(long.kept.at(-1)?.number, REQUESTS, 'the oldest go first');
  assert.equal(long.kept.length, long.count);
  assert.equal(long.isWhole, false);

  const { count, isWhole } = await send(short, { ...LONG, path: '/pets?limit=3', body: '{}' });
  assert.deepEqual({ count, isWhole }, { count: REQUESTS, isWhole: true });
});
