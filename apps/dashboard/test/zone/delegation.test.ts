import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { readConfig } from '../../server/src/config.ts';
import type { InstallationZone, ZoneCheck } from '../../server/src/zone/zone.ts';
import { assertError, json, startService } from '../support/service.ts';

// The zone above is served by a name server of the tests, at the port at which the dashboard asks name servers; the
// dashboard's own is at another address of loopback, at the same port, and Unbound is the world's resolver.

const ABOVE = 'docs.example.com';
const ZONE = `acme.${ABOVE}`;
const SERVER = `ns-${ZONE}`;
const ADDRESS = '127.0.0.2';

async function setUp(t: TestContext, env: Record<string, string> = {}) {
  const above = await startNameServer({
    zones: {
      [ABOVE]: [
        { name: ABOVE, type: 'NS', value: `ns.${ABOVE}` },
        { name: `ns.${ABOVE}`, type: 'A', value: '127.0.0.1' },
      ],
    },
  });
  cleanUp(t, above.close);
  const own = `${ADDRESS}:${above.port}`;
  // Without Unbound the zone's parent is the resolver, which does not know the zone.
  const resolver = WITHOUT_DNS_TOOLS
    ? above.server
    : await startUnbound(t, { [ABOVE]: above.server, [ZONE]: own });
  const config = readConfig({
    DNS_ZONE: ZONE,
    DNS_HOST: ADDRESS,
    DNS_PORT: `${above.port}`,
    DNS_SERVERS: resolver,
    DNS_AUTHORITATIVE_PORT: `${above.port}`,
    DNS_PRIVATE_SERVERS: 'allow',
    ...env,
  });
  const { dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers } = config;
  const changes = { dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers };
  const service = await startService(t, changes);
  const owner = await service.signUp('owner@example.com');
  const check = async () => json<ZoneCheck>(await owner.call('GET', '/api/zone/check'));
  return { above, zone: above.zone(ABOVE), service, owner, check };
}

test('the way to a delegation is told step by step, until the zone is found', async (t) => {
  const { zone, owner, check } = await setUp(t);
  const { name, records, serial } = await json<InstallationZone>(
    await owner.call('GET', '/api/zone'),
  );
  assert.equal(name, ZONE);
  assert.ok(serial);
  assert.deepEqual(
    records.map(({ type, name, host, value }) => [type, name, host, value]),
    [
      ['A', SERVER, 'ns-acme.docs', ADDRESS],
      ['NS', ZONE, 'acme.docs', SERVER],
    ],
  );
  const statuses = ({ records }: ZoneCheck) => records.map(({ status }) => status);

  const nothing = await check();
  assert.equal(nothing.code, 'not_delegated');
  assert.match(nothing.message, /is not delegated yet: ns\.docs\.example\.com has no NS record/);
  assert.match(nothing.remedy, new RegExp(`NS record of ${ZONE} with the value ${SERVER}`));
  assert.deepEqual(statuses(nothing), ['missing', 'missing']);
  assert.deepEqual(nothing.addresses, [{ address: ADDRESS, udp: 'yes', tcp: 'yes' }]);

  zone.setRecords(ZONE, 'NS', ['ns.elsewhere.test']);
  const astray = await check();
  assert.equal(astray.code, 'wrong_delegation');
  assert.match(astray.message, /delegates acme\.docs\.example\.com to ns\.elsewhere\.test/);
  assert.deepEqual(statuses(astray), ['missing', 'other']);

  zone.setRecords(ZONE, 'NS', [SERVER]);
  const nowhere = await check();
  assert.equal(nowhere.code, 'address_missing');
  assert.deepEqual(statuses(nowhere), ['missing', 'right']);

  zone.setRecords(SERVER, 'A', [ADDRESS, '127.0.0.9']);
  const both = await check();
  assert.equal(both.code, 'wrong_address');
  assert.match(both.message, /also leads to 127\.0\.0\.9/);

  zone.setRecords(SERVER, 'A', [ADDRESS]);
  const right = await check();
  assert.equal(right.code, WITHOUT_DNS_TOOLS ? 'not_resolved' : 'delegated', right.message);
  assert.deepEqual(statuses(right), ['right', 'right']);
});

test('an address where nobody answers, and one where another does, are told', async (t) => {
  const { zone, check, above } = await setUp(t, { DNS_ADDRESSES: `${ADDRESS},127.0.0.3` });
  zone.setRecords(ZONE, 'NS', [SERVER]);
  zone.setRecords(SERVER, 'A', [ADDRESS, '127.0.0.3']);
  const away = await check();
  assert.equal(away.code, 'unreachable');
  assert.match(away.message, /Nobody answers at 127\.0\.0\.3, port 53, over UDP and TCP/);
  assert.match(away.remedy, /firewall/);
  const stranger = await startNameServer({ address: '127.0.0.3', port: above.port });
  cleanUp(t, stranger.close);
  const other = await check();
  assert.equal(other.code, 'unreachable');
  assert.match(other.message, /At 127\.0\.0\.3 another program answers/);
  assert.match(other.remedy, /DNS_HOST=127\.0\.0\.3/);
});

test('where no server of the zone above answers, nothing else is blamed', async (t) => {
  const { above, check } = await setUp(t);
  above.injectFault('drop');
  const { code, message, records } = await check();
  assert.equal(code, 'dns_error', message);
  assert.deepEqual(
    records.map(({ status }) => status),
    ['unknown', 'unknown'],
  );
});

test('only the owner of the installation sees it, and without a zone it says so', async (t) => {
  const service = await startService(t);
  const owner = await service.signUp('owner@example.com');
  assert.deepEqual(await json(await owner.call('GET', '/api/zone')), {
    ...{ name: null, serial: null, records: [], addresses: [], wildcard: null, petstore: null },
  });
  const message = await assertError(await owner.call('GET', '/api/zone/check'), 404, 'not_found');
  assert.match(message, /set DNS_ZONE/);
  await assertError(await service.visitor().call('GET', '/api/zone'), 401, 'unauthorized');
});
