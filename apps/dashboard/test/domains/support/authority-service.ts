import assert from 'node:assert/strict';
import { findPebble, PEBBLE_HINT, startPebble } from '@petstore/lab/pebble.ts';
import { anyPort } from '@petstore/lab/ports.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { startUnbound, WITHOUT_DNS_TOOLS } from '@petstore/test-support/resolvers.ts';
import { readConfig } from '../../../server/src/config.ts';
import { startService } from '../../support/service.ts';
import { readyProject, startDns } from './domains.ts';

/** The installation's own zone. */
export const ZONE = 'acme.docs.localhost';

const pebble = await findPebble();
const isOptional = process.env.CI_REQUIRES_ALL !== '1';

/** Why tests with an authority are skipped; false: they are not. */
export const WITHOUT_AUTHORITY =
  WITHOUT_DNS_TOOLS || (pebble === undefined && isOptional ? PEBBLE_HINT : false);

/**
 * The dashboard with a zone of its own, and pebble, which finds names by Unbound, as an authority does. Nothing listens at
 * the ports of challenges other than DNS-01.
 */
export async function startAuthorityService(t: Ending & Parameters<typeof startService>[0]) {
  assert.ok(pebble, PEBBLE_HINT);
  const dns = await startDns(t);
  const own = `127.0.0.2:${dns.port}`;
  const zones = { 'example.test': dns.server, 'docs.localhost': dns.server };
  const resolver = await startUnbound(t, { ...zones, [ZONE]: own });
  const nobody = await anyPort([]);
  const ports = { httpPort: nobody, tlsPort: nobody, certificateLifetimeMs: 86_400_000 };
  const authority = await startPebble(pebble, { ...ports, nameServer: resolver });
  cleanUp(t, authority.close);
  const config = readConfig({
    ...{ DNS_ZONE: ZONE, DNS_HOST: '127.0.0.2', DNS_PORT: `${dns.port}` },
    ...{ DNS_SERVERS: dns.server, DNS_PRIVATE_SERVERS: 'allow' },
    ...{ DNS_AUTHORITATIVE_PORT: `${dns.port}` },
    ...{ ACME_DIRECTORY_URL: authority.directoryUrl, ACME_CA_FILE: authority.caFile },
  });
  const { dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme } = config;
  const service = await startService(t, {
    ...{ dnsZone, dnsServers, dnsAuthoritativePort, dnsPrivateServers, acme },
  });
  const root = await service.signUp('root@example.com');
  await readyProject(root, 'pets');
  return { ...service, root, dns, ca: authority.rootPem };
}
