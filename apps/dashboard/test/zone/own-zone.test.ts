import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { onSharedEngines } from '@petstore/test-support/engines.ts';
import { runProgram } from '@petstore/test-support/program.ts';
import { WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { temporaryFolder } from '@petstore/test-support/temporary-folder.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { encode } from 'dns-packet';
import { readConfig } from '../../server/src/config.ts';
import { deleteChallenges, putChallenge } from '../../server/src/store/acme-challenges.ts';
import { insertDomain } from '../../server/src/store/domains.ts';
import type { Db } from '../../server/src/store/schema.ts';
import { zoneRecords } from '../../server/src/zone/zone-records.ts';
import { dashboard, serveDashboard } from '../support/dashboard-program.ts';
import { startService } from '../support/service.ts';
import { putProject, UP_TO_DATE } from '../support/store.ts';

const ZONE = 'acme.docs.example.com';
const ENV = {
  DNS_ZONE: ZONE,
  DNS_PORT: '0',
  DNS_ADDRESSES: '203.0.113.10,2001:db8::10',
  DASHBOARD_PLATFORM_HOST: 'docs.example.com',
};
const { dnsZone, platformHost } = readConfig(ENV);

function resolverAt(port: number | undefined) {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return {
    texts: async (label: string) =>
      (await resolver.resolveTxt(`${label}.${ZONE}`).catch(() => [])).flat().sort(),
    soa: () => resolver.resolveSoa(ZONE),
    resolver,
  };
}

/** A domain whose claim has the label `claim`. */
async function putClaim(db: Db): Promise<void> {
  await putProject(db, 'pets');
  await db.transaction().execute((trx) =>
    insertDomain(trx, {
      ...{ id: 'dom_1', project_id: 'pets', hostname: 'docs.customer.test', target_label: 'claim' },
      ...{ proof: 'p', link_secret: 's', verified_at: 1, holds: 1, created_at: 1 },
      ...{ created_by_email: 'a@b.test', removed_at: null, moved_away_at: null },
      ...{ hsts_max_age: null, hsts_include_subdomains: 0 },
    }),
  );
}

const challenge = (token: string) =>
  ({
    ...{ hostname: 'docs.customer.test', domain_id: 'dom_1', type: 'dns-01' as const },
    ...{ token, key_authorization: `${token}.thumbprint`, created_at: 1 },
  }) as const;

onSharedEngines(
  'every process on a database answers for the zone, with the challenges that are under way and one serial',
  async (t, engine) => {
    const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
    assert.ok(dnsZone);
    const service = await startService(t, { databaseUrl, dnsZone, platformHost });
    const other = await startService(t, { databaseUrl, dnsZone, platformHost });
    const servers = [resolverAt(service.dnsPort), resolverAt(other.dnsPort)];
    const { db } = service;
    await putClaim(db);
    for (const { resolver } of servers) {
      assert.deepEqual(await resolver.resolveNs(ZONE), ['ns-acme.docs.example.com']);
      await assert.rejects(resolver.resolve4('docs.example.com'), { code: 'EREFUSED' });
    }
    const before = (await servers[0]?.soa())?.serial ?? 0;
    assert.ok(before >= Date.now() / 1_000 - 60);
    const put = (token: string) =>
      db.transaction().execute((trx) => putChallenge(trx, challenge(token)));
    await put('one');
    await timeUntil(async () =>
      (await Promise.all(servers.map(({ texts }) => texts('claim')))).every(
        ({ length }) => length === 1,
      ),
    );
    await put('two');
    await timeUntil(async () =>
      (await Promise.all(servers.map(({ texts }) => texts('claim')))).every(
        ({ length }) => length === 2,
      ),
    );
    const [first] = await Promise.all(servers.map(({ texts }) => texts('claim')));
    // RFC 8555, section 8.4: the SHA-256 of the key authorization, in base64url.
    assert.deepEqual(first, [
      'YTKb1RF9jx8rpvpTXXmp48pv-dYUUFR9P-n6odRzvw8',
      'p2kNGf882Th2OOHMSDOD71OFq1Y1naEhx0E1b3cUdn0',
    ]);
    const during = await Promise.all(servers.map(({ soa }) => soa()));
    assert.equal(during[0]?.serial, during[1]?.serial);
    assert.ok((during[0]?.serial ?? 0) > before);
    await db.transaction().execute((trx) => deleteChallenges(trx, 'dom_1'));
    await timeUntil(async () =>
      (await Promise.all(servers.map(({ texts }) => texts('claim')))).every(
        ({ length }) => length === 0,
      ),
    );
    const after = await Promise.all(servers.map(({ soa }) => soa()));
    assert.ok((after[0]?.serial ?? 0) > (during[0]?.serial ?? 0));
    assert.equal(after[0]?.serial, after[1]?.serial);
  },
);

test('dashboard zone prints the zone as it is served, and named-checkzone finds no fault', async (t) => {
  const folder = await temporaryFolder(t);
  const program = await serveDashboard(t, folder, ENV);
  const { dnsPort } = JSON.parse(program.output.stdout) as { dnsPort: number };
  const { code, stdout, stderr } = await dashboard(folder, ['zone'], ENV);
  assert.equal(code, 0, stderr);
  const { serial } = await resolverAt(dnsPort).soa();
  assert.match(stdout, new RegExp(`^\\$ORIGIN ${ZONE}\\.\n.* SOA ns-${ZONE}\\. .* ${serial} `));
  if (WITHOUT_DNS_TOOLS) return;
  const file = join(folder, 'zone');
  await writeFile(file, stdout);
  const checked = await runProgram('named-checkzone', ['-k', 'fail', ZONE, file], folder);
  assert.equal(checked.code, 0, checked.stdout);
});

test('without a zone there is none to print, and no port is opened', async (t) => {
  const folder = await temporaryFolder(t);
  const { code, stderr } = await dashboard(folder, ['zone']);
  assert.equal(code, 1);
  assert.match(stderr, /answers for no zone: set DNS_ZONE, such as/);
  const service = await startService(t);
  assert.equal(service.dnsPort, undefined);
});

test('a port that is taken is told with the variable, also by an edge, and nothing keeps running', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const folder = await temporaryFolder(t);
  const env = {
    ...ENV,
    DNS_PORT: `${port}`,
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
    DASHBOARD_PORT: '0',
    DASHBOARD_METRICS_PORT: '0',
  };
  for (const args of [['serve'], ['edge'], ['edge', '--workers', '2']]) {
    const { code, stderr } = await dashboard(folder, args, env);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, new RegExp(`Port ${port} on 127.0.0.1 is in use.*DNS_PORT`, 's'));
  }
});

test('an edge whose workers cannot start says why, and answers no DNS queries either', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data/secret.key'), `${'A'.repeat(43)}=\n`, { mode: 0o644 });
  const { code, stderr } = await dashboard(folder, ['edge', '--workers', '2'], {
    ...ENV,
    EDGE_HTTP_PORT: '0',
    EDGE_HTTPS_PORT: '0',
    DASHBOARD_METRICS_PORT: '0',
  });
  assert.equal(code, 1);
  assert.match(stderr, /secret\.key .*chmod 600/s);
});

test('where the platform is in the zone, its sites are at the addresses, and a challenge takes none away', () => {
  const env = { ...ENV, DNS_ZONE: 'docs.example.com' };
  const config = readConfig(env);
  assert.ok(config.dnsZone);
  const challenges = [{ label: 'claim', keyAuthorization: 'x' }];
  const records = zoneRecords(config.dnsZone, config, challenges);
  const at = (name: string) =>
    records.filter((record) => record.name === name).map(({ type }) => type);
  assert.deepEqual(at('docs.example.com'), ['NS', 'A', 'AAAA']);
  assert.deepEqual(at('*.docs.example.com'), ['A', 'AAAA']);
  assert.deepEqual(at('claim.docs.example.com'), ['TXT', 'A', 'AAAA']);
});

test('addresses of all kinds need one at which others reach them', () => {
  const zone = { DNS_ZONE: ZONE };
  assert.deepEqual(readConfig(zone).dnsZone, {
    ...{ name: ZONE, hosts: ['127.0.0.1'], port: 53, addresses: ['127.0.0.1'] },
    responsesPerSecond: 200,
  });
  for (const DNS_HOST of ['0.0.0.0', '::', '203.0.113.1,::'])
    assert.throws(() => readConfig({ ...zone, DNS_HOST }), /DNS_ADDRESSES must be set/);
  const named = { ...zone, DNS_HOST: '::', DNS_ADDRESSES: '203.0.113.1' };
  assert.deepEqual(readConfig(named).dnsZone?.addresses, ['203.0.113.1']);
});

/** Of so many queries over UDP, sent at once: how many have an answer, and how many are told to ask over TCP. */
async function burst(port: number, queries: number) {
  const socket = createSocket('udp4');
  const counted = { answered: 0, truncated: 0 };
  socket.on('message', (message) => {
    const isTruncated = ((message[2] ?? 0) & 2) !== 0;
    counted[isTruncated ? 'truncated' : 'answered'] += 1;
  });
  const ask = (id: number) => {
    const questions = [{ name: ZONE, type: 'SOA' as const }];
    socket.send(encode({ type: 'query', id, questions }), port, '127.0.0.1');
  };
  for (let id = 0; id < queries; id++) ask(id);
  return { counted, close: () => socket.close() };
}

test('DNS_RESPONSES_PER_SECOND limits what one network is sent over UDP, and 0 does not', async (t) => {
  for (const [limit, isMet] of [
    ['1', ({ answered, truncated }) => answered >= 2 && answered <= 8 && truncated >= 8],
    ['0', ({ answered, truncated }) => answered === 24 && truncated === 0],
  ] satisfies [string, (counted: { answered: number; truncated: number }) => boolean][]) {
    const config = readConfig({ ...ENV, DNS_RESPONSES_PER_SECOND: limit });
    assert.ok(config.dnsZone);
    const service = await startService(t, { dnsZone: config.dnsZone, platformHost });
    const { counted, close } = await burst(service.dnsPort ?? 0, 24);
    cleanUp(t, close);
    await timeUntil(async () => isMet(counted));
  }
});
