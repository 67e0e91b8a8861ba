import assert from 'node:assert/strict';
import { test } from 'node:test';
import '@petstore/test-support/clean-up.ts';
import { freePort, PostgresServer } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readMetrics } from '../support/metrics.ts';
import { petstore, serve } from '../support/program.ts';

const refused = (replica: string, database = 'sqlite::memory:') =>
  petstore('/', ['serve'], {
    PETSTORE_PORT: '0',
    PETSTORE_DATABASE_URL: database,
    PETSTORE_DATABASE_REPLICA_URL: replica,
  });

test('replicas of SQLite, of another cluster, and malformed addresses are refused, without a password', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const other = await PostgresServer.start(t);
  const otherUrl = `${await other.createDatabase()}?target_session_attrs=any`;
  for (const [replica, database, message] of [
    [url, undefined, /needs PostgreSQL, but PETSTORE_DATABASE_URL names another kind of database/],
    [`${url} mysql://x`, url, /PETSTORE_DATABASE_REPLICA_URL must read postgres:\/\/USER/],
    [
      otherUrl,
      url,
      new RegExp(`^petstore: 127\\.0\\.0\\.1:${other.port} .* belongs to another cluster`),
    ],
  ] as const) {
    const { code, stdout, stderr } = await refused(replica, database);
    assert.equal(code, 1, stdout);
    assert.match(stderr, message);
    assert.ok(!stderr.includes('ss%2Fword') && !stderr.includes('ss/word'), 'shows no password');
  }
});

test('a replica that is away, or that is the primary, is left aside, and the banner and the log say so', async (t) => {
  const url = await (await sharedServer()).createDatabase();
  const away = url.replace(/:\d+\//, `:${await freePort()}/`);
  const urls = [away, url, `${url}?target_session_attrs=any`];
  const program = await serve(t, await temporaryFolder(t), {
    PETSTORE_DATABASE_URL: url,
    PETSTORE_DATABASE_REPLICA_URL: urls.join('\n'),
  });
  assert.match(program.output.stdout, new RegExp(`read from ${new URL(away).host} and `));
  assert.equal((await fetch(`${program.origin}/readyz`)).status, 200);
  const metrics = await readMetrics(program.origin);
  assert.equal(metrics.value('petstore_replica_used', { replica: new URL(away).host }), 0);
  for (const reason of ['lost', 'not_standby']) {
    const told = new RegExp(
      `"reason":"${reason}".*a replica is not read from until a probe succeeds`,
    );
    await timeUntil(async () => told.test(program.output.stderr));
  }
});
