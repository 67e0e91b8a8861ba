import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { killAtOnce, ownerToken, serveDashboard } from '../support/dashboard-program.ts';
import { deploy, setPlan } from '../support/project.ts';
import { json, visitorOf } from '../support/service.ts';
import { startDns } from './support/domains.ts';
import { page, startOldSite } from './support/old-site.ts';
import { DOMAIN, ended, HOST } from './support/rehearsals.ts';

test('a rehearsal whose process is killed in the midst of it is done by the next one', async (t) => {
  const folder = await temporaryFolder(t);
  const dns = await startDns(t);
  const old = await startOldSite(t);
  old.pages = { '/': page('Parcel') };
  const env = {
    ...{ DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_ZONE: 'acme.docs.localhost', DNS_PORT: '0' },
    ACME_DIRECTORY_URL: 'https://127.0.0.1:9/directory',
    DASHBOARD_REHEARSAL_HTTPS_PORT: `${old.port}`,
  };
  const first = await serveDashboard(t, folder, env);
  const token = await ownerToken(folder);
  const root = visitorOf(first.url, token);
  await json(await root.call('POST', '/api/projects', { name: 'pets', slug: 'pets' }), 201);
  await setPlan(root, 'pets', 'pro');
  await deploy(root, 'pets');
  const zone = dns.zone('example.test');
  zone.setRecords(HOST, 'A', [old.address]);
  const asked = { hostname: HOST, prepare: true };
  const { records } = await json<Domain>(
    await root.call('POST', '/api/projects/pets/domains', asked),
    201,
  );
  zone.setRecords(String(records[0]?.name), 'CNAME', [String(records[0]?.value)]);
  await json(await root.call('POST', `${DOMAIN}/verify`));

  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  // The answer never comes.
  old.answer = () => resolve();
  await json(await root.call('POST', `${DOMAIN}/rehearsals`), 202);
  await arrived;
  await killAtOnce(first);
  old.answer = undefined;
  const second = await serveDashboard(t, folder, env);
  const rehearsal = await ended(visitorOf(second.url, token));
  assert.equal(rehearsal.state, 'finished', String(rehearsal.problem));
  assert.equal(rehearsal.result?.comparison?.found, 1);
  const stopped = once(second.child, 'exit');
  second.child.kill('SIGTERM');
  await stopped;
});
