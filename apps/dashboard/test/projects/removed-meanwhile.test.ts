import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { connectTo } from '@petstore/test-support/postgres.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import type { Deploy } from '../../server/src/deploys/deploy.ts';
import type { Invitation } from '../../server/src/projects/project.ts';
import type { Page } from '../../server/src/schema-types.ts';
import { deleteMember } from '../../server/src/store/members.ts';
import { findProject, lockProject } from '../../server/src/store/projects.ts';
import { readyProject, startDomainService, verifiedDomain } from '../domains/support/domains.ts';
import { idOf, invite, joinAs } from '../support/project.ts';
import { json } from '../support/service.ts';

const PETS = '/api/projects/pets';

test('a request of an owner who is removed while it waits for the project changes nothing [PostgreSQL]', async (t) => {
  const databaseUrl = await (await sharedServer()).createDatabase();
  const service = await startDomainService(t, { databaseUrl });
  const { db, root } = service;
  await readyProject(root, 'pets');
  await verifiedDomain(service, root, 'pets', 'one.example.test');
  await verifiedDomain(service, root, 'pets', 'two.example.test');
  await invite(root, 'pets', 'guest@example.com');
  const raw = connectTo(databaseUrl);
  cleanUp(t, () => raw.end());
  const project = (await findProject(db, 'pets', null))?.project ?? assert.fail();
  const [deploy] = (await json<Page<Deploy>>(await root.call('GET', `${PETS}/deploys`))).items;
  const [invited] = (await json<Page<Invitation>>(await root.call('GET', `${PETS}/invitations`)))
    .items;
  const domain = `${PETS}/domains/two.example.test`;
  const requests: [method: string, path: string, body?: object][] = [
    ['PATCH', PETS, { name: 'Mine' }],
    ['PATCH', PETS, { slug: 'mine' }],
    ['POST', `${PETS}/deploys/${deploy?.id}/activate`],
    ['DELETE', `${PETS}/invitations/${invited?.id}`],
    ['POST', `${PETS}/domains`, { hostname: 'three.example.test' }],
    ['PATCH', domain, { hsts: { maxAgeSeconds: 300, includeSubdomains: false } }],
    ['POST', `${domain}/primary`],
    ['POST', `${domain}/link`],
    ['DELETE', domain],
    ['DELETE', PETS, { confirm: 'pets' }],
  ];
  for (const [at, [method, path, body]] of requests.entries()) {
    const bob = await joinAs(service, root, 'pets', `bob${at}@example.com`, 'owner');
    const id = await idOf(bob);
    let responding: ReturnType<typeof bob.call> | undefined;
    await db.transaction().execute(async (trx) => {
      await lockProject(trx, project.id);
      await deleteMember(trx, project.id, id);
      responding = bob.call(method, path, body);
      await timeUntil(async () => {
        const waiting = await raw`
          SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
    });
    assert.equal((await responding)?.status, 404, `${method} ${path}`);
  }
});
