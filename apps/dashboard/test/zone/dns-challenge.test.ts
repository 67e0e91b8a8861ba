import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findPebble, PEBBLE_HINT, startPebble } from '@petstore/lab/pebble.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Domain } from '../../server/src/domains/domain.ts';
import { readyProject, startDns } from '../domains/support/domains.ts';
import { json, startService } from '../support/service.ts';

// DNS-01 against pebble, which finds names by Unbound, as an authority does: from the customer's zone by a CNAME into
// the zone of the installation. Nothing listens at the ports of the other challenges.

const HOST = 'docs.example.test';
const ZONE = 'acme.docs.localhost';

const pebble = await findPebble();
const isOptional = process.env.CI_REQUIRES_ALL !== '1';
const skip = WITHOUT_DNS_TOOLS || (pebble === undefined && isOptional ? PEBBLE_HINT : false);

async function setUp(t: TestContext) {
  assert.ok(pebble, PEBBLE_HINT);
  const customers = await startDns(t);
  const own = `127.0.0.2:${customers.port}`;
  const zones = { 'example.test': customers.server, 'docs.localhost': customers.server };
  const resolver = await startUnbound(t, { ...zones, [ZONE]: own });
  const nobody = await anyPort([]);
  const ports = { httpPort: nobody, tlsPort: nobody, certificateLifetimeMs: 86_400_000 };
  const authority = await startPebble(pebble, { ...ports, nameServer: resolver });
  cleanUp(t, authority.close);
  const config = readConfig({
    ...{ DNS_ZONE: ZONE, DNS_HOST: '127.0.0.2', DNS_PORT: `${customers.port}` },
    ...{ DNS_SERVERS: customers.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_AUTHORITATIVE_PORT: `${customers.port}` },
    ...{ ACME_DIRECTORY_URL: authority.directoryUrl, ACME_CA_FILE: authority.caFile },
  });
  const { dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme } = config;
  const service = await startService(t, {
    ...{ dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme },
  });
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  const path = '/api/projects/pets/domains';
  const added = await json<Domain>(await root.call('POST', path, { hostname: HOST }), 201);
  const target = String(added.records[0]?.value);
  const read = async () => json<Domain>(await root.call('GET', `${path}/${HOST}`));
  return { service, root, zone: customers.zone('example.test'), target, read, path };
}

test('a name whose challenges lead into the zone is proven there, with its ports closed', {
  skip,
}, async (t) => {
  const { service, root, zone, target, read, path } = await setUp(t);
  const [label] = target.split('.');
  zone.setRecords(HOST, 'CNAME', [target]);
  zone.setRecords(`_acme-challenge.${HOST}`, 'CNAME', [`${label}.${ZONE}`]);
  await json(await root.call('POST', `${path}/${HOST}/verify`));
  await timeUntil(async () => (await read()).certificate !== null);
  const left = await service.db.selectFrom('acme_challenges').selectAll().execute();
  assert.deepEqual(left, [], 'the challenge is gone');
  assert.equal((await read()).issuance, null);
});

test("another claim's record proves nothing, and the other challenges are tried", {
  skip,
}, async (t) => {
  const { root, zone, target, read, path } = await setUp(t);
  zone.setRecords(HOST, 'CNAME', [target]);
  zone.setRecords(`_acme-challenge.${HOST}`, 'CNAME', [`stranger.${ZONE}`]);
  await json(await root.call('POST', `${path}/${HOST}/verify`));
  await timeUntil(async () => (await read()).issuance?.problem != null);
  const { issuance, certificate } = await read();
  assert.equal(certificate, null);
  assert.equal(issuance?.problem?.type, 'connection', issuance?.problem?.detail);
});
