import assert from 'node:assert/strict';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { DOMAIN_EVENTS, eventsOf } from '../../server/src/notices/event-types.ts';
import { putBlob } from '../../server/src/store/artifacts.ts';
import { readSource } from '../../server/src/store/deploy-sources.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import { listWebhooks } from '../../server/src/store/webhooks.ts';
import { fillEarlierDatabase } from '../support/earlier-database.ts';
import { putDeploy, putProject } from '../support/store.ts';

onSharedEngines(
  'tokens from before scopes deploy, and those of the operator keep more',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await fillEarlierDatabase(url, '0003_renewal_orders', async (db) => {
      const at = { created_at: 1 };
      const user = { name: 'Ann', password_hash: '', ...at };
      for (const [id, role] of [
        ['root', 'owner'],
        ['ann', 'user'],
      ] as const) {
        await db
          .insertInto('users')
          .values({ ...user, id, email: id, role })
          .execute();
      }
      const project = { id: 'pets', slug: 'pets', name: 'Pets', plan: 'free' as const, ...at };
      await db
        .insertInto('projects')
        .values({ ...project, last_deploy_number: 0 })
        .execute();
      const tokens = [
        ['tok_web', 'ann', null, 'session'],
        ['tok_operator', 'ann', null, 'command'],
        ['tok_owner', 'root', null, 'command'],
        ['tok_project', 'ann', 'pets', 'command'],
      ] as const;
      for (const [id, user_id, project_id, via] of tokens) {
        const token = { id, token_hash: id, user_id, name: id, project_id, ...at };
        await db
          .insertInto('api_tokens')
          .values(token as never)
          .execute();
        const entry = { at: 1, actor: 'x', via, ip: '', action: 'token.create', target: id };
        const details = JSON.stringify({ id, project: project_id, user: user_id });
        await db
          .insertInto('audit_log')
          .values({ ...entry, details } as never)
          .execute();
      }
    });

    const { db, close } = await openDatabase(url, 1);
    cleanUp(t, close);
    const rows = await db.selectFrom('api_tokens').select(['id', 'scopes']).orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ id, scopes }) => `${id}: ${scopes}`),
      [
        'tok_operator: read deploy projects domains',
        'tok_owner: read deploy projects domains installation',
        'tok_project: read deploy',
        'tok_web: read deploy',
      ],
    );
  },
);

onSharedEngines(
  'what waits to be built is still there for the version after',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await fillEarlierDatabase(url, '0005_reserved_labels', async (db) => {
      await putProject(db, 'pets');
      await putBlob(db, 'hash', Buffer.from('openapi: 3.1.0'), 1);
      await putDeploy(db, 'pets', 1, {
        state: 'queued',
        source_hash: 'hash',
        token_id: undefined,
      } as never);
    });
    const { db, close } = await openDatabase(url, 1);
    cleanUp(t, close);
    assert.equal(
      Buffer.concat(await Array.fromAsync(readSource(db, 'pets1'))).toString(),
      'openapi: 3.1.0',
    );
  },
);

onSharedEngines(
  'projects from before the switches have an MCP server and no request proxy',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await fillEarlierDatabase(url, '0008_builds', (db) => putProject(db, 'pets'));
    const { db, close } = await openDatabase(url, 1);
    cleanUp(t, close);
    const row = await db.selectFrom('projects').select(['mcp', 'request_proxy']).executeTakeFirst();
    assert.deepEqual({ ...row }, { mcp: 1, request_proxy: 0 });
  },
);

onSharedEngines(
  'a webhook from before it chose its events is sent those of domains that there were',
  async (t, engine) => {
    const url = await engine.createDatabase(t);
    await fillEarlierDatabase(url, '0016_site_versions', async (db) => {
      await putProject(db, 'pets');
      const webhook = {
        id: 'whk_1',
        project_id: 'pets',
        url: 'https://example.com/',
        created_at: 1,
      };
      await db
        .insertInto('webhooks')
        .values({ ...webhook, sealed_secret: '', created_by_email: 'ann@example.com' })
        .execute();
    });
    const { db, close } = await openDatabase(url, 1);
    cleanUp(t, close);
    // Those that came later are chosen by a person.
    const later = [
      'domain.challenge_gone',
      'domain.certificate_unexpected',
      'domain.traffic_ended',
    ];
    const known = DOMAIN_EVENTS.filter((event) => !later.includes(event));
    assert.deepEqual((await listWebhooks(db, 'pets')).map(eventsOf), [known]);
  },
);
