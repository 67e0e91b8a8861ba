import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPebble, PEBBLE_HINT, startPebble } from '@petstore/lab/pebble.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { json, startService } from '../support/service.ts';
import { startPdns, WITHOUT_PDNS } from './dns/support/pdns.ts';
import { askAgainAndAgain } from './support/asking.ts';
import { readyProject, verify } from './support/domains.ts';
import { prepareOldHost, WITHOUT_NGINX } from './support/old-host.ts';

// A live site moves to the dashboard and away again, while a client asks for it over HTTPS all the time. Everything that
// the world has is of others: the name servers of the zones (PowerDNS), the client's resolver and the authority's, which
// keep to TTLs (Unbound), the authority (pebble), and the host before (nginx).

const HOST = 'docs.example.test';
const ZONE = 'acme.docs.localhost';
const OLD = 'The old host';
const OLD_ADDRESS = '127.0.0.3';
const EDGE_ADDRESS = '127.0.0.4';

/** How long resolvers keep the records of the name, in seconds. */
const TTL = 2;
const EVERY_MS = 10;

const pebble = await findPebble();
const isOptional = process.env.CI_REQUIRES_ALL !== '1';
const skip =
  WITHOUT_DNS_TOOLS ||
  WITHOUT_PDNS ||
  WITHOUT_NGINX ||
  (pebble === undefined && isOptional ? PEBBLE_HINT : false);

async function startWorld(t: TestContext) {
  assert.ok(pebble, PEBBLE_HINT);
  const zones = { 'example.test': [`docs ${TTL} IN A ${OLD_ADDRESS}`], 'docs.localhost': [] };
  const platform = [`* IN A ${EDGE_ADDRESS}`, 'ns-acme IN A 127.0.0.2', 'acme IN NS ns-acme'];
  const dns = await startPdns(t, { ...zones, 'docs.localhost': platform }, '127.0.0.1:9');
  const servers = {
    'example.test': `127.0.0.1:${dns.port}`,
    'docs.localhost': `127.0.0.1:${dns.port}`,
    [ZONE]: `127.0.0.2:${dns.port}`,
  };
  const [resolver, authoritys] = await Promise.all([
    startUnbound(t, servers),
    startUnbound(t, servers),
  ]);
  const httpPort = await anyPort([]);
  const tlsPort = await anyPort([httpPort]);
  const authority = await startPebble(pebble, { httpPort, tlsPort, nameServer: authoritys });
  cleanUp(t, authority.close);
  return { dns, resolver, httpPort, tlsPort, authority };
}

type World = Awaited<ReturnType<typeof startWorld>>;

async function startPetsSite(t: TestContext, world: World) {
  const { dns, resolver, httpPort, tlsPort, authority } = world;
  const config = readConfig({
    ...{ DNS_ZONE: ZONE, DNS_HOST: '127.0.0.2', DNS_PORT: `${dns.port}` },
    ...{ DNS_SERVERS: resolver, DNS_PRIVATE_SERVERS: 'allow' },
    DNS_AUTHORITATIVE_PORT: `${dns.port}`,
    ...{ EDGE_HOST: EDGE_ADDRESS, EDGE_HTTP_PORT: `${httpPort}`, EDGE_HTTPS_PORT: `${tlsPort}` },
    ...{ ACME_DIRECTORY_URL: authority.directoryUrl, ACME_CA_FILE: authority.caFile },
  });
  const { dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme, edge } = config;
  const service = await startService(t, {
    ...{ dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme, edge },
  });
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  return root;
}

test('a live site moves here and away again, and no request fails or is insecure', {
  skip,
}, async (t) => {
  const world = await startWorld(t);
  const { dns, resolver, tlsPort, authority } = world;
  const [oldHost, root] = await Promise.all([
    prepareOldHost(t, { hostname: HOST, address: OLD_ADDRESS, ...world }),
    startPetsSite(t, world),
  ]);
  let stopOldHost = await oldHost.start();
  const path = '/api/projects/pets/domains';
  const read = async () => json<Domain>(await root.call('GET', `${path}/${HOST}`));

  const client = askAgainAndAgain(t, {
    ...{ resolver, hostname: HOST, port: tlsPort, ca: authority.rootPem, everyMs: EVERY_MS },
  });
  const isAllFrom = async (isTheirs: (page: string) => boolean) => {
    await timeUntil(async () => isTheirs((await client.look()).last));
    // Until no resolver has the record before.
    await sleep(TTL * 1_000);
  };

  // Prepare: the old host serves, and the certificate is here.
  const added = await root.call('POST', path, { hostname: HOST, prepare: true });
  const { records } = await json<Domain>(added, 201);
  const [challenge, main] = records.map(
    ({ name, type, value }) => `${name}. ${TTL} IN ${type} ${value}.`,
  );
  assert.ok(challenge && main);
  await dns.load('example.test', [`docs ${TTL} IN A ${OLD_ADDRESS}`, challenge]);
  assert.equal((await verify(root, 'pets', HOST)).verdict?.reason, 'prepared');
  await timeUntil(async () => (await read()).certificate !== null);
  const before = await client.look();
  assert.deepEqual(Object.keys(before.pages), [OLD], 'nobody came here so far');

  // Move.
  await dns.load('example.test', [main, challenge]);
  await isAllFrom((page) => page !== OLD);
  const moved = await verify(root, 'pets', HOST);
  assert.deepEqual([moved.pointsHere, moved.state, moved.primary], [true, 'active', true]);
  await stopOldHost();
  await sleep(500);

  // Move away: the old host, which kept its certificate, is there again; then the record leads to it.
  stopOldHost = await oldHost.start();
  await dns.load('example.test', [`docs ${TTL} IN A ${OLD_ADDRESS}`, challenge]);
  await isAllFrom((page) => page === OLD);
  const away = await verify(root, 'pets', HOST);
  assert.deepEqual([away.pointsHere, away.movedAwayAt !== null], [false, true]);
  assert.equal((await root.call('DELETE', `${path}/${HOST}`)).status, 204);
  await sleep(500);

  const { count, pages, failures } = await client.end();
  t.diagnostic(`${count} requests: ${JSON.stringify(pages)}`);
  assert.deepEqual(failures, []);
  assert.equal(Object.keys(pages).length, 2);
  for (const [page, times] of Object.entries(pages)) assert.ok(times > 50, `${page}: ${times}`);
  await stopOldHost();
});
