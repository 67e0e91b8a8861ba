import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBouncer, WITHOUT_PGBOUNCER } from '@petstore/test-support/pgbouncer.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { dashboard, getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { titledDocument } from '../support/large-document.ts';
import { json, PASSWORD, startService } from '../support/service.ts';

const optional = { skip: WITHOUT_PGBOUNCER };

/** A new database, and its address by way of a pooler. */
async function behindPooler(t: TestContext, mode: 'session' | 'transaction' | 'statement') {
  const direct = await (await sharedServer()).createDatabase();
  const pooler = await PgBouncer.start(t, direct, mode);
  return { pooler, direct, url: pooler.url(direct) };
}

test(
  'behind PgBouncer in session mode the dashboard and an edge work, also after it was started again',
  optional,
  async (t) => {
    const { pooler, url } = await behindPooler(t, 'session');
    const service = await startService(t, { databaseUrl: url });
    const edge = await startEdgeProgram(t, url);
    const owner = await service.signUp('owner@example.com');

    const useAll = async (slug: string) => {
      await json(await owner.call('POST', '/api/projects', { name: slug, slug }), 201);
      const deploys = `/api/projects/${slug}/deploys`;
      const { id } = await json<Deploy>(
        await owner.call('POST', deploys, titledDocument(slug, 2)),
        202,
      );
      for (;;) {
        const { state, errors } = await json<Deploy>(await owner.call('GET', `${deploys}/${id}`));
        if (state === 'succeeded') break;
        assert.notEqual(state, 'failed', JSON.stringify(errors));
        await sleep(20);
      }
      const titleAt = async (port: number) => {
        const { status, text } = await getFromEdge(port, `${slug}.docs.localhost`, '/openapi.json');
        return status === 200 ? JSON.parse(text).info.title : status;
      };
      await timeUntil(async () => (await titleAt(edge.port)) === slug);
      assert.equal(await titleAt(service.edgePort), slug);
      // Many at once, in more transactions than there are connections.
      const tokens = Array.from({ length: 30 }, (_, at) =>
        owner.call('POST', '/api/account/tokens', { name: `${slug} ${at}`, password: PASSWORD }),
      );
      const made = await Promise.all(tokens.map(async (each) => (await each).status));
      assert.deepEqual(new Set(made), new Set([201]));
    };

    await useAll('before');
    await pooler.stopAtOnce();
    assert.equal((await owner.call('GET', '/api/projects')).status, 503);
    await pooler.resume();
    await timeUntil(async () => (await owner.call('GET', '/api/projects')).status === 200);
    await useAll('after');
    assert.equal(edge.child.exitCode, null, edge.output.stderr);
  },
);

for (const mode of ['transaction', 'statement'] as const) {
  test(
    `behind PgBouncer in ${mode} mode the dashboard does not start, and says what to do`,
    optional,
    async (t) => {
      const { pooler, direct, url } = await behindPooler(t, mode);
      const refusal = `dashboard: 127.0.0.1:${pooler.port} pools connections by transaction, which the dashboard cannot work with. Set its mode for this database to session (PgBouncer: pool_mode=session), or let DASHBOARD_DATABASE_URL name PostgreSQL itself.\n`;
      const refused = { code: 1, stdout: '', stderr: refusal };
      const folder = await temporaryFolder(t);
      const refuse = async () => {
        const env = { DASHBOARD_DATABASE_URL: url, DASHBOARD_PORT: '0', EDGE_HTTP_PORT: '0' };
        for (const command of ['serve', 'edge']) {
          assert.deepEqual(await dashboard(folder, [command], env), refused, command);
        }
      };
      await refuse();
      // The same where there is a dashboard already.
      await (await openDatabase(direct, 1)).close();
      await refuse();
    },
  );
}
