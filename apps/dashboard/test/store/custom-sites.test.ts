import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { onBothEngines } from '@petstore/test-support/engines.ts';
import { CompiledQuery, type RootOperationNode } from 'kysely';
import { addressesOf } from '../../server/src/addresses.ts';
import { certificateKeyContext, sealerOf } from '../../server/src/certificates/sealing.ts';
import { readConfig } from '../../server/src/config.ts';
import { canonicalHost } from '../../server/src/edge/host.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { siteSource } from '../../server/src/store/sites.ts';
import { openTestDatabase, putDeploy, putProject, storeArtifact } from '../support/store.ts';

const NOW = 1_000_000;
const PLATFORM = 'docs.example.com';
const sealer = sealerOf(randomBytes(32), 'the test');

function sourceOf(db: Db, env: Record<string, string> = {}) {
  const config = readConfig({ DASHBOARD_PLATFORM_HOST: PLATFORM, ...env });
  const ports = { dashboard: 8081, edge: 8082, edgeHttps: 8443 };
  const source = siteSource({
    ...{ db, platformHost: PLATFORM, addresses: () => addressesOf(config, ports), sealer },
    now: () => NOW,
  });
  const host = (name: string) => canonicalHost(name) ?? assert.fail(name);
  return {
    site: (name: string) => source.findSite(host(name)),
    certificate: (name: string) => source.findServedCertificate(host(name)),
  };
}

async function putLiveProject(db: Db, slug: string): Promise<void> {
  await putProject(db, slug, 'pro');
  await storeArtifact(db, `artifact of ${slug}`, [], 0);
  const id = await putDeploy(db, slug, 1, { artifact_hash: `artifact of ${slug}` });
  await db.updateTable('projects').set({ live_deploy_id: id }).where('id', '=', slug).execute();
}

interface DomainState {
  readonly holds?: number;
  readonly verified_at?: number | null;
  readonly removed_at?: number | null;
  readonly hsts_max_age?: number | null;
  readonly hsts_include_subdomains?: number;
}

async function putDomain(db: Db, project: string, hostname: string, state: DomainState = {}) {
  const id = `${hostname} of ${project}`;
  await db
    .insertInto('domains')
    .values({
      ...{ id, project_id: project, hostname, target_label: id, proof: '', link_secret: id },
      ...{ verified_at: 1, holds: 1, created_at: 0, created_by_email: '', removed_at: null },
      ...{ moved_away_at: null, hsts_max_age: null, hsts_include_subdomains: 0 },
      ...state,
    })
    .execute();
  return id;
}

async function putCertificate(db: Db, domainId: string, hostname: string, notAfter = NOW + 1) {
  await db
    .insertInto('certificates')
    .values({
      ...{ domain_id: domainId, hostname, chain: `chain of ${hostname}`, issuer: '' },
      ...{ sealed_key: sealer.seal(`key of ${hostname}`, certificateKeyContext(domainId)) },
      ...{ serial: '01', not_before: 0, not_after: notAfter, issued_at: 0, renew_at: 0 },
      ...{ ari_id: null, ari_check_at: null },
    })
    .execute();
}

onBothEngines(
  'a verified host serves the live deploy of its project, over TLS once it can',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putLiveProject(db, 'pets');
    const { site, certificate } = sourceOf(db);
    const id = await putDomain(db, 'pets', 'a.test');
    const plain = {
      ...{ projectId: 'pets', artifactHash: 'artifact of pets', isPreview: false },
      ...{ origin: 'http://a.test:8082', redirect: undefined, secureOrigin: undefined },
      ...{ hsts: undefined, mcp: true, requestProxy: false, countsReaders: true },
    };
    assert.deepEqual(await site('a.test'), plain);
    assert.equal(await certificate('a.test'), undefined);
    await putCertificate(db, id, 'a.test');
    const secure = { origin: 'https://a.test:8443', secureOrigin: 'https://a.test:8443' };
    assert.deepEqual(await site('a.test'), { ...plain, ...secure });
    assert.deepEqual(await certificate('a.test'), {
      ...{ id: `${id} 01`, chain: 'chain of a.test', key: 'key of a.test' },
    });
    const mapped = sourceOf(db, { EDGE_HTTPS_PUBLIC_PORT: '443' });
    assert.equal((await mapped.site('a.test'))?.secureOrigin, 'https://a.test');
    await db.updateTable('domains').set({ hsts_max_age: 300 }).execute();
    assert.equal((await site('a.test'))?.hsts, 'max-age=300');
    await db.updateTable('domains').set({ hsts_include_subdomains: 1 }).execute();
    assert.equal((await site('a.test'))?.hsts, 'max-age=300; includeSubDomains');
    await db.updateTable('certificates').set({ not_after: NOW }).execute();
    assert.equal((await site('a.test'))?.secureOrigin, undefined, 'its certificate has run out');
    assert.equal(await site('x.a.test'), undefined);
  },
);

onBothEngines('a host serves a project that has nothing but versions', async (t) => {
  const { db } = await openTestDatabase(t);
  await putProject(db, 'pets', 'pro');
  const { site, certificate } = sourceOf(db);
  const id = await putDomain(db, 'pets', 'a.test');
  await putCertificate(db, id, 'a.test');
  assert.equal(await site('a.test'), undefined);
  assert.equal(await certificate('a.test'), undefined, 'no handshake for what has no site');
  for (const [at, name] of ['v1', 'v2', 'v0'].entries()) {
    await storeArtifact(db, `artifact ${name}`, [], 0);
    const deploy = await putDeploy(db, 'pets', at, { artifact_hash: `artifact ${name}` });
    const shown = name === 'v0' ? { deploy_id: null, retired_at: 1 } : { deploy_id: deploy };
    await db
      .insertInto('site_versions')
      .values({
        ...{ project_id: 'pets', name, created_at: 0, deployed_at: 0, retired_at: null },
        ...shown,
      })
      .execute();
  }
  await db.updateTable('projects').set({ default_version: 'v2' }).execute();
  const found = await site('a.test');
  assert.equal(found?.artifactHash, 'artifact v2');
  assert.deepEqual(found?.versions, {
    defaultVersion: 'v2',
    all: [
      { name: 'v0', artifactHash: undefined },
      { name: 'v1', artifactHash: 'artifact v1' },
      { name: 'v2', artifactHash: 'artifact v2' },
    ],
  });
  assert.deepEqual((await site('pets.docs.example.com'))?.versions, found?.versions);
  assert.equal((await certificate('a.test'))?.key, 'key of a.test');
});

onBothEngines(
  'nothing but the holder that is verified and not removed serves, and only what is live',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putLiveProject(db, 'pets');
    await putLiveProject(db, 'others');
    await putProject(db, 'empty');
    const { site, certificate } = sourceOf(db);
    const states: [string, string, DomainState][] = [
      ['pets', 'claimed.test', { holds: 0, verified_at: null }],
      ['pets', 'lost.test', { holds: 0 }],
      ['pets', 'unverified.test', { verified_at: null }],
      ['pets', 'removed.test', { removed_at: 5 }],
      ['empty', 'empty.test', {}],
    ];
    for (const [project, hostname, state] of states) {
      await putCertificate(db, await putDomain(db, project, hostname, state), hostname);
      assert.equal(await site(hostname), undefined, hostname);
      assert.equal(await certificate(hostname), undefined, hostname);
    }
    await putDomain(db, 'others', 'lost.test');
    assert.equal((await site('lost.test'))?.projectId, 'others');
    assert.equal(
      await certificate('lost.test'),
      undefined,
      'that of the former holder is not given out',
    );
  },
);

onBothEngines(
  'an active primary is the origin of all hosts, and all but it lead there',
  async (t) => {
    const { db } = await openTestDatabase(t);
    await putLiveProject(db, 'pets');
    const { site } = sourceOf(db);
    const [docs, old] = [
      await putDomain(db, 'pets', 'docs.test'),
      await putDomain(db, 'pets', 'old.test'),
    ];
    await putCertificate(db, old, 'old.test');
    const setProject = (changes: { primary_domain_id?: string; redirect_platform_host?: number }) =>
      db.updateTable('projects').set(changes).where('id', '=', 'pets').execute();
    const ways = async () => {
      const hosts = ['docs.test', 'old.test', `pets.${PLATFORM}`, `pets--pets1.${PLATFORM}`];
      const sites = await Promise.all(hosts.map(site));
      return sites.map((found) => [found?.origin, found?.redirect?.origin]);
    };
    const own = [
      ['http://docs.test:8082', undefined],
      ['https://old.test:8443', undefined],
      [`http://pets.${PLATFORM}:8082`, undefined],
      [`http://pets--pets1.${PLATFORM}:8082`, undefined],
    ];
    await setProject({ primary_domain_id: docs, redirect_platform_host: 1 });
    assert.deepEqual(await ways(), own, 'the primary has no certificate yet');
    await putCertificate(db, docs, 'docs.test');
    const primary = 'https://docs.test:8443';
    const led = [[primary, undefined], [primary, primary], [primary, primary], own[3]];
    assert.deepEqual(await ways(), led);
    await setProject({ redirect_platform_host: 0 });
    assert.deepEqual(await ways(), led.with(2, [primary, undefined]));
    await db.updateTable('domains').set({ removed_at: 5 }).where('id', '=', docs).execute();
    assert.deepEqual((await ways()).slice(1), own.slice(1), 'a removed primary leads nobody');
  },
);

test('a host is looked up by indexes alone, however many there are', async (t) => {
  const { db } = await openTestDatabase(t);
  const asked: RootOperationNode[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { site, certificate } = sourceOf(watched);
  await site('a.test');
  await certificate('a.test');
  await site(`pets.${PLATFORM}`);
  // The last one also asks where a label without a site leads.
  assert.equal(asked.length, 4);
  for (const node of asked) {
    const query = db.getExecutor().compileQuery(node, { queryId: 'explained' });
    const plan = await db.executeQuery(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters]),
    );
    const steps = plan.rows.map((row) => (row as { detail: string }).detail);
    // AUTOMATIC: of all rows, for this one question.
    assert.doesNotMatch(steps.join('\n'), /SCAN|AUTOMATIC/);
  }
});

onBothEngines('every host of a project has its switches', async (t) => {
  const { db } = await openTestDatabase(t);
  await putLiveProject(db, 'pets');
  await putDomain(db, 'pets', 'a.test');
  const hosts = ['a.test', `pets.${PLATFORM}`, `pets--pets1.${PLATFORM}`];
  const switches = async () => {
    const sites = await Promise.all(hosts.map((host) => sourceOf(db).site(host)));
    return sites.map((site) => [site?.mcp, site?.requestProxy]);
  };
  assert.deepEqual(await switches(), Array(3).fill([true, false]));
  await db.updateTable('projects').set({ mcp: 0, request_proxy: 1 }).execute();
  assert.deepEqual(await switches(), Array(3).fill([false, true]));
});
