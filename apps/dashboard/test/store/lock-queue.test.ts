import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import type { AuditEntry } from '../../server/src/audit/audit-entry.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { lockProject } from '../../server/src/store/projects.ts';
import { createProject, setPlan } from '../support/project.ts';
import { json, startService } from '../support/service.ts';
import { lockWaits, UP_TO_DATE } from '../support/store.ts';

/** How many requests wait at once. */
const WAITING = 5;

/** They are made one after another, and on a slow machine the first of them must not be given up meanwhile. */
const TIMEOUTS = 'statement_timeout=60000&idle_in_transaction_session_timeout=60000';

test('requests that wait for a project get it in the order in which they came [PostgreSQL]', async (t) => {
  const service = await startService(t, {
    databaseUrl: `${await (await sharedServer()).copyDatabase(UP_TO_DATE)}?${TIMEOUTS}`,
  });
  const owner = await service.signUp('root@example.com');
  await createProject(owner, 'pets');
  await setPlan(owner, 'pets', 'pro');
  const project = service.db.selectFrom('projects').select('id').where('slug', '=', 'pets');
  const { id } = await project.executeTakeFirstOrThrow();
  const names = Array.from({ length: WAITING }, (_, at) => `guest${at}@example.com`);
  const invite = (email: string) =>
    owner.call('POST', '/api/projects/pets/invitations', { email, role: 'viewer' });

  const waiting: Promise<Response>[] = [];
  await service.db.transaction().execute(async (trx) => {
    await lockProject(trx, id);
    for (const name of names) {
      waiting.push(invite(name));
      await lockWaits(service.db, waiting.length);
    }
  });
  for (const response of await Promise.all(waiting)) await json(response, 201);

  const page = await json<Page<AuditEntry>>(await owner.call('GET', '/api/projects/pets/audit'));
  const order = page.items.filter(({ action }) => action === 'invitation.create').reverse();
  assert.deepEqual(
    order.map(({ target }) => target),
    names,
  );
});
