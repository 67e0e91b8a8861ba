import '@petstore/test-support/clean-up.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import { findPebble, startPebble } from '@petstore/lab/pebble.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp } from '@petstore/test-support/clean-up.ts';
import { type Engine, onSharedEngines } from '@petstore/test-support/engines.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { timeUntil } from '@petstore/test-support/within.ts';
import { readConfig } from '../../server/src/config.ts';
import type { InstallationZone } from '../../server/src/zone/zone.ts';
import { readyProject } from '../domains/support/domains.ts';
import { json, startService } from '../support/service.ts';
import { UP_TO_DATE } from '../support/store.ts';

// The certificate for all hosts of the platform, from pebble, which finds the challenge by Unbound; and the edges that
// serve it.

const PLATFORM_HOST = 'docs.example.com';
const CHALLENGE = `_acme-challenge.${PLATFORM_HOST}`;
const ZONE = `acme.${PLATFORM_HOST}`;

const pebble = await findPebble();
const canRun = pebble !== undefined && !WITHOUT_DNS_TOOLS;

async function setUp(t: TestContext, engine: Engine, dnsZoneName = ZONE) {
  assert.ok(pebble);
  const above = await startNameServer({ zones: { [PLATFORM_HOST]: [] } });
  cleanUp(t, above.close);
  const own = `127.0.0.2:${above.port}`;
  const resolver = await startUnbound(t, { [PLATFORM_HOST]: above.server, [dnsZoneName]: own });
  const nobody = await anyPort([]);
  const ports = { httpPort: nobody, tlsPort: nobody, certificateLifetimeMs: 86_400_000 };
  const authority = await startPebble(pebble, { ...ports, nameServer: resolver });
  cleanUp(t, authority.close);
  const config = readConfig({
    ...{ DNS_ZONE: dnsZoneName, DNS_HOST: '127.0.0.2', DNS_PORT: `${above.port}` },
    ...{ DNS_SERVERS: above.server, DNS_AUTHORITATIVE_PORT: `${above.port}` },
    ...{ ACME_DIRECTORY_URL: authority.directoryUrl, ACME_CA_FILE: authority.caFile },
    DASHBOARD_PLATFORM_HOST: PLATFORM_HOST,
  });
  const { dnsZone, dnsServers, dnsAuthoritativePort, acme, platformHost } = config;
  const databaseUrl = await engine.createDatabase(t, UP_TO_DATE);
  const changes = { databaseUrl, dnsZone, dnsServers, dnsAuthoritativePort, acme, platformHost };
  const service = await startService(t, changes);
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  const names = above.zone(PLATFORM_HOST);
  return { service, root, names, ca: authority.rootPem };
}

/** The status of a host's first page, over TLS with a certificate for it; undefined: there is none. */
async function statusOf(port: number, host: string, ca: string): Promise<number | undefined> {
  const asked = request({
    host: '127.0.0.1',
    port,
    servername: host,
    headers: { host },
    ca,
    agent: false,
  });
  asked.end();
  try {
    const [response] = await once(asked, 'response');
    response.resume();
    return response.statusCode;
  } catch {
    return undefined;
  }
}

/** The serial number of the certificate that a host is served with. */
async function serialOf(port: number, host: string, ca: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

if (canRun || process.env.CI_REQUIRES_ALL === '1') {
  onSharedEngines(
    'once its challenges lead into the zone, every host of the platform is served over HTTPS, and renewals reach the edges',
    async (t, engine) => {
      const { service, root, names, ca } = await setUp(t, engine);
      const { httpsPort: port, db } = service;
      const problem = async () =>
        (await db.selectFrom('platform_certificates').select('last_problem').executeTakeFirst())
          ?.last_problem;
      await timeUntil(async () => ((await problem()) ?? '').includes('challengeNotLed'));
      assert.equal(
        await statusOf(port, `pets.${PLATFORM_HOST}`, ca),
        undefined,
        'no certificate yet',
      );
      const orders = () => db.selectFrom('acme_orders').selectAll().execute();
      assert.deepEqual(await orders(), [], 'the authority is not asked before');

      const shown = async () => json<InstallationZone>(await root.call('GET', '/api/zone'));
      const before = (await shown()).wildcard;
      assert.equal(before?.record?.value, `platform.${ZONE}`);
      assert.equal(before?.isLed, false);
      assert.match(String(before?.problem), /does not lead into the zone yet/);
      names.setRecords(CHALLENGE, 'CNAME', [`platform.${ZONE}`]);
      await db.updateTable('platform_certificates').set({ next_attempt_at: 0 }).execute();
      await timeUntil(async () => (await statusOf(port, `pets.${PLATFORM_HOST}`, ca)) === 200);
      const { items } = (await (await root.call('GET', '/api/projects/pets/deploys')).json()) as {
        items: { id: string }[];
      };
      assert.equal(await statusOf(port, `pets--${items[0]?.id}.${PLATFORM_HOST}`, ca), 200);
      assert.equal(await statusOf(port, `nothing.${PLATFORM_HOST}`, ca), 404);
      assert.equal(await statusOf(port, `a.b.${PLATFORM_HOST}`, ca), undefined, 'two labels deep');
      assert.equal(await statusOf(port, 'docs.customer.test', ca), undefined);
      const row = await db
        .selectFrom('platform_certificates')
        .selectAll()
        .executeTakeFirstOrThrow();
      assert.equal(row.key_authorization, null, 'the challenge is gone');
      assert.doesNotMatch(String(row.sealed_key), /PRIVATE/);
      assert.deepEqual(
        (await orders()).map(({ state }) => state),
        ['issued'],
      );

      const after = (await shown()).wildcard;
      assert.equal(after?.isLed, true);
      assert.equal(after?.problem, null);
      assert.match(String(after?.certificate?.issuer), /Pebble/);
      const serial = await serialOf(port, `pets.${PLATFORM_HOST}`, ca);
      // Resolvers keep the proof of the first order for its TTL, a second, and renewals are never as soon.
      await sleep(2_500);
      await db.updateTable('platform_certificates').set({ next_attempt_at: 0 }).execute();
      await timeUntil(async () => (await serialOf(port, `other.${PLATFORM_HOST}`, ca)) !== serial);
      assert.deepEqual((await orders()).map(({ is_renewal }) => is_renewal).sort(), [0, 1]);
    },
  );

  onSharedEngines(
    'where the platform is the zone, no record has to lead there',
    async (t, engine) => {
      const { service, ca } = await setUp(t, engine, PLATFORM_HOST);
      await timeUntil(
        async () => (await statusOf(service.httpsPort, `pets.${PLATFORM_HOST}`, ca)) === 200,
      );
    },
  );
}
