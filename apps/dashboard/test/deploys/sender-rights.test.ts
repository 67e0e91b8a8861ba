import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { sql } from 'kysely';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Deploy, LogLine } from '../../server/src/deploys/deploy.ts';
import type { Page } from '../../server/src/schema-types.ts';
import type { Role } from '../../server/src/store/schema/projects.ts';
import { revokeTokens } from '../../server/src/store/tokens.ts';
import { endIdleBuilders, holdBuilds } from '../support/held-builds.ts';
import {
  createProject,
  deploy,
  documentTitled,
  finished,
  idOf,
  joinAs,
  makeToken,
  setPlan,
} from '../support/project.ts';
import { json, startService, type Visitor } from '../support/service.ts';
import { titleAt } from '../support/site.ts';
import { lockWaits } from '../support/store.ts';

const PATH = '/api/projects/pets/deploys';

onBothEngines(
  'a deploy whose sender loses the right before it is built does not go live',
  async (t) => {
    const service = await startService(t);
    const { db } = service;
    const root = await service.signUp('root@example.com');
    const { url } = await createProject(root, 'pets');
    await setPlan(root, 'pets', 'pro');
    const join = (name: string, role: Role = 'editor') =>
      joinAs(service, root, 'pets', `${name}@example.com`, role);
    const [removed, demoted, gone, sender, stays] = [
      await join('removed'),
      await join('demoted', 'owner'),
      await join('gone'),
      await join('sender'),
      await join('stays'),
    ];
    const tokens = {
      revoked: await makeToken(sender),
      ofProject: await makeToken(sender, 'pets'),
      expired: await makeToken(sender),
      good: await makeToken(stays, 'pets'),
    };
    const withToken = ({ token }: { token: string }) => service.visitor().withToken(token);
    const send = async (by: Visitor, document: string, query = '') =>
      (await json<Deploy>(await by.call('POST', PATH + query, document), 202)).id;
    await deploy(root, 'pets', documentTitled('Before'));

    // Two builds at a time, of different accounts: whatever follows these is queued until the first of them ends.
    await endIdleBuilders();
    const building = await send(removed, documentTitled('Removed'));
    const other = await send(root, documentTitled('Other'), '?activate=false');
    const held = await holdBuilds(t, 2);
    const allowed = await send(withToken(tokens.good), documentTitled('After'));
    const preview = await send(removed, documentTitled('Preview'), '?activate=false');
    // At once, since all of it has to happen before the first of them is built.
    const senders = {
      demoted,
      gone,
      revoked: withToken(tokens.revoked),
      ofProject: withToken(tokens.ofProject),
      expired: withToken(tokens.expired),
    };
    const ids = await Promise.all(
      Object.entries(senders).map(async ([name, by]) => [
        name,
        await send(by, documentTitled(name)),
      ]),
    );
    const queued = Object.fromEntries(ids) as Record<keyof typeof senders, string>;
    const member = async (of: Visitor) => `/api/projects/pets/members/${await idOf(of)}`;
    const remove = async (by: Visitor, path: string) =>
      assert.equal((await by.call('DELETE', path)).status, 204, path);
    await Promise.all([
      remove(root, await member(removed)),
      json(await root.call('PATCH', await member(demoted), { role: 'viewer' })),
      db.deleteFrom('users').where('email', '=', 'gone@example.com').execute(),
      remove(sender, `/api/account/tokens/${tokens.revoked.id}`),
      remove(root, `/api/projects/pets/tokens/${tokens.ofProject.id}`),
      db
        .updateTable('api_tokens')
        .set({ expires_at: 1 })
        .where('id', '=', tokens.expired.id)
        .execute(),
    ]);
    for (const id of [building, preview, ...Object.values(queued)]) {
      const { state } = await json<Deploy>(await root.call('GET', `${PATH}/${id}`));
      assert.equal(state, id === building ? 'building' : 'queued', 'none is built so far');
    }
    for (const release of held) release();

    const token = 'the API token that sender@example.com sent it with was revoked or has expired';
    const lost: Record<string, string> = {
      [building]: 'removed@example.com is no member of the project any more',
      [preview]: 'removed@example.com is no member of the project any more',
      [queued.demoted]:
        'demoted@example.com has the role viewer in the project now, and this needs owner or editor',
      [queued.gone]: 'gone@example.com has no account any more',
      [queued.revoked]: token,
      [queued.ofProject]: token,
      [queued.expired]: token,
    };
    for (const [id, why] of Object.entries(lost)) {
      const message = `The right to deploy ended before the build did: ${why}. Have someone with that right deploy it again, or use a valid token.`;
      const { state, live, activatedAt, errors } = await finished(root, 'pets', id);
      assert.deepEqual(
        { state, live, activatedAt, errors },
        {
          state: 'failed',
          live: false,
          activatedAt: null,
          errors: [{ message, path: '', line: null }],
        },
      );
      const log = await json<Page<LogLine>>(await root.call('GET', `${PATH}/${id}/log`));
      const { level, message: last } = log.items.at(-1) ?? assert.fail();
      assert.deepEqual(
        [level, last],
        ['error', `Failed. ${message} What is live stays as it was.`],
      );
    }
    assert.equal((await finished(root, 'pets', other)).state, 'succeeded');
    const { state, live } = await finished(root, 'pets', allowed);
    assert.deepEqual([state, live], ['succeeded', true], 'others deploy as before');
    assert.equal(await titleAt(url), 'After');

    const audit = await json<Page<AuditEntry>>(await root.call('GET', '/api/projects/pets/audit'));
    const failed = audit.items.filter(({ action }) => action === 'deploy.fail');
    assert.deepEqual(
      failed.map(({ details }) => details.id).sort(),
      Object.keys(lost).sort(),
      'the audit log has each',
    );
    assert.deepEqual(
      service.logged.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  },
);

test('a deploy waits for a revocation of its token that has begun [PostgreSQL]', async (t) => {
  const databaseUrl = await (await sharedServer()).createDatabase();
  const service = await startService(t, { databaseUrl });
  const root = await service.signUp('root@example.com');
  await createProject(root, 'pets');
  const { id: tokenId, token } = await makeToken(root);
  const sender = service.visitor().withToken(token);
  // From here on a request does not record again that the token was used.
  await json(await sender.call('GET', PATH));
  const deployId = await service.db.transaction().execute(async (trx) => {
    await revokeTokens(trx, { id: tokenId, userId: await idOf(root) }, Date.now());
    const { id } = await json<Deploy>(await sender.call('POST', PATH, documentTitled('Pets')), 202);
    const path = `${PATH}/${id}/log`;
    await timeUntil(async () => {
      // PostgreSQL ends a transaction that is idle for ten seconds.
      await sql`SELECT 1`.execute(trx);
      return (await (await root.call('GET', path)).text()).includes('Storing');
    });
    await lockWaits(service.db);
    return id;
  });
  const { state, errors } = await finished(root, 'pets', deployId);
  assert.equal(state, 'failed');
  assert.match(errors[0]?.message ?? '', /the API token that root@example\.com sent it with/);
});
