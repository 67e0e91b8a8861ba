import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { sharedServer } from '@petstore/test-support/shared-postgres.ts';
import { tcpProxy } from '@petstore/test-support/tcp-proxy.ts';
import { assertWithin, timeUntil } from '@petstore/test-support/within.ts';
import { certificateKeyContext, sealerOf } from '../../server/src/certificates/sealing.ts';
import { openDatabase } from '../../server/src/store/open-database.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { getFromEdge, startEdgeProgram } from '../support/dashboard-program.ts';
import { createProject, deploy, documentTitled } from '../support/project.ts';
import { startService } from '../support/service.ts';
import { authority } from './support/certificates.ts';
import { secureAskOf } from './support/secure-edge.ts';

const SECRET_KEY = randomBytes(32);
const HOST = 'pets.docs.localhost';
const OTHER = 'others.docs.localhost';
const CUSTOM = 'docs.example.test';

/** How soon an edge serves a change once its database is back: it asks again a second after it failed, and a quarter. */
const BACK_MS = 5_000;

/** A verified domain of a project, with a certificate. */
async function putActiveDomain(db: Db, slug: string, hostname: string): Promise<void> {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow();
  const { chain, key, serial } = await authority.issue(hostname);
  const id = `dom_${slug}`;
  await db
    .insertInto('domains')
    .values({
      ...{ id, project_id: project.id, hostname, target_label: id, proof: '', link_secret: id },
      ...{ verified_at: 1, holds: 1, created_at: 0, created_by_email: '', removed_at: null },
      ...{ moved_away_at: null, hsts_max_age: null, hsts_include_subdomains: 0 },
    })
    .execute();
  const sealed = sealerOf(SECRET_KEY, 'the test').seal(key, certificateKeyContext(id));
  const later = Date.now() + 3_600_000;
  await db
    .insertInto('certificates')
    .values({
      ...{ domain_id: id, hostname, chain, issuer: '', sealed_key: sealed, serial },
      ...{ not_before: 0, not_after: later, issued_at: 0, renew_at: later },
      ...{ ari_id: null, ari_check_at: null },
    })
    .execute();
}

for (const way of ['refuse', 'silence'] as const) {
  test(`while the database is unavailable (${way}) an edge serves what it served before, over TLS too; then all of it anew`, async (t) => {
    const server = await sharedServer();
    const databaseUrl = await server.createDatabase();
    const service = await startService(t, { databaseUrl, secretKey: SECRET_KEY });
    const owner = await service.signUp('owner@example.com');
    for (const slug of ['pets', 'others']) {
      await createProject(owner, slug);
      await deploy(owner, slug, documentTitled('first'));
    }
    const { db, close } = await openDatabase(databaseUrl, 1);
    cleanUp(t, close);
    await putActiveDomain(db, 'pets', CUSTOM);

    const proxy = await tcpProxy(t, server.port);
    const behind = databaseUrl.replace(`:${server.port}/`, `:${proxy.port}/`);
    const env = { DASHBOARD_SECRET_KEY: SECRET_KEY.toString('base64') };
    const edge = await startEdgeProgram(t, behind, [], env);
    const at = (host: string) => getFromEdge(edge.port, host, '/openapi.json');
    const titleAt = async (host: string) => JSON.parse((await at(host)).text).info.title;
    const secureTitle = async () => {
      // A connection of its own, and so a handshake.
      const { status, body } = await secureAskOf(edge.httpsPort)('/openapi.json', { host: CUSTOM });
      assert.equal(status, 200);
      return JSON.parse(body.toString()).info.title;
    };
    const served = async () => [await titleAt(HOST), await secureTitle()];
    assert.deepEqual(await served(), ['first', 'first']);

    proxy[way]();
    if (way === 'refuse') proxy.reset();
    const isAway = () => edge.output.stderr.includes('the edge serves what it has in memory');
    await timeUntil(async () => isAway());
    const until = performance.now() + 3_000;
    while (performance.now() < until) {
      assert.deepEqual(await served(), ['first', 'first']);
      await sleep(100);
    }
    assert.equal((await at(OTHER)).status, 503, 'nobody asked for it before');

    await deploy(owner, 'pets', documentTitled('second'));
    assert.deepEqual(await served(), ['first', 'first']);
    proxy.restore();
    await assertWithin(BACK_MS, () =>
      timeUntil(async () => (await served()).every((title) => title === 'second')),
    );
    assert.equal(await titleAt(OTHER), 'first');
  });
}
