import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo, PostgresServer } from '@petstore/test-support/postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { serve } from '../support/program.ts';

test('on a standby reads are served, each process counts quotas for itself, and writes are a 503', async (t) => {
  const server = await PostgresServer.start(t);
  const url = await server.createDatabase();
  const { origin, output } = await serve(
    t,
    await temporaryFolder(t),
    {
      PETSTORE_DATABASE_URL: `${url}?target_session_attrs=any`,
      PETSTORE_RATE_LIMIT: '1',
      PETSTORE_RATE_LIMIT_WINDOW_SECONDS: '60',
    },
    ['--first-key'],
  );
  const headers = {
    authorization: `Bearer ${/pk_live_\w{38}/.exec(output.stdout)?.[0]}`,
    'content-type': 'application/json',
  };
  // From its next start on it is a standby, as one whose primary is gone.
  const raw = connectTo(url);
  await raw.unsafe("COPY (SELECT 1) TO PROGRAM 'cat > standby.signal'");
  await raw.end();
  await server.stopAtOnce();
  await server.resume();
  await timeUntil(async () => (await fetch(`${origin}/readyz/reads`)).status === 200);

  const read = await fetch(`${origin}/v1/pets`, { headers });
  assert.deepEqual([read.status, await read.text()], [200, '[]']);
  assert.match(read.headers.get('ratelimit') ?? '', /r=59;t=\d+$/);
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const write = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body });
  assert.equal(write.status, 503);
  const statuses = new Set<number>();
  for (let i = 0; i < 60; i++) {
    statuses.add((await fetch(`${origin}/v1/pets`, { headers })).status);
  }
  assert.deepEqual([...statuses], [200, 429]);
});
