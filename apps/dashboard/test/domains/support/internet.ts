import {
  type LabAuthority,
  startCertificateAuthority,
} from '@petstore/lab/certificate-authority/certificate-authority.ts';
import { startNameServer } from '@petstore/lab/name-server/name-server.ts';
import type { ZoneRecord } from '@petstore/lab/name-server/zone-record.ts';
import { findPebble, PEBBLE_HINT, startPebble } from '@petstore/lab/pebble.ts';
import { cleanUp, type Ending } from '@petstore/test-support/clean-up.ts';
import { PATIENCE_MS } from '@petstore/test-support/within.ts';
import { startPdns, WITHOUT_PDNS } from '../dns/support/pdns.ts';

/** What the dashboard finds outside: names of `example.test`, and an authority for certificates. */
export interface Internet {
  /** pebble and PowerDNS, or what stands in their place and why. */
  readonly kind: string;
  /** Of DNS_SERVERS and so on. */
  readonly env: Record<string, string>;
  readonly authority: LabAuthority;
  /** Makes these the records of `example.test`, besides those that a zone has anyway. */
  setRecords(records: readonly ZoneRecord[]): Promise<void>;
}

const PLATFORM = 'docs.localhost';
const ZONE = 'example.test';

/**
 * Debian's pebble and PowerDNS where they are installed, or CI_REQUIRES_ALL has them be; what speaks the
 * same protocols in this process where they are not.
 */
export async function startInternet(
  t: Ending,
  ports: { httpPort: number; tlsPort: number; certificateLifetimeMs: number },
): Promise<Internet> {
  const platform: ZoneRecord = { name: `*.${PLATFORM}`, type: 'A', value: '127.0.0.1' };
  const resolver = await startNameServer({ zones: { [PLATFORM]: [platform], [ZONE]: [] } });
  cleanUp(t, resolver.close);
  const dns = WITHOUT_PDNS ? undefined : await startZoneServer(t, resolver.server);
  if (dns) {
    // The resolver knows who serves the zone, and nothing of what is in it.
    resolver.zone(ZONE).addRecord({ name: ZONE, type: 'NS', value: `ns1.${ZONE}` });
    resolver.zone(ZONE).addRecord({ name: `ns1.${ZONE}`, type: 'A', value: '127.0.0.1' });
  }
  const pebble = await findPebble();
  if (!pebble && process.env.CI_REQUIRES_ALL === '1') throw new Error(PEBBLE_HINT);
  const nameServer = dns?.server ?? resolver.server;
  const options = { ...ports, nameServer, timeoutMs: PATIENCE_MS };
  const authority = await (pebble
    ? startPebble(pebble, options)
    : startCertificateAuthority(options));
  cleanUp(t, authority.close);
  const missing = [WITHOUT_PDNS, pebble ? false : PEBBLE_HINT].filter((why) => why !== false);
  return {
    kind: missing.length === 0 ? 'pebble and PowerDNS' : `stand-ins: ${missing.join('; ')}`,
    authority,
    env: {
      DNS_SERVERS: resolver.server,
      DNS_PRIVATE_SERVERS: 'allow',
      ...(dns && { DNS_AUTHORITATIVE_PORT: `${dns.port}` }),
      ACME_DIRECTORY_URL: authority.directoryUrl,
      ACME_CA_FILE: authority.caFile,
    },
    async setRecords(records) {
      if (dns) await dns.load(records);
      else resolver.zone(ZONE).replace(records);
    },
  };
}

async function startZoneServer(t: Ending, resolver: string) {
  const zones = { [ZONE]: [], [PLATFORM]: ['* IN A 127.0.0.1'] };
  const { port, load } = await startPdns(t, zones, resolver);
  return {
    port,
    server: `127.0.0.1:${port}`,
    load: (records: readonly ZoneRecord[]) => load(ZONE, records.map(zoneLine)),
  };
}

function zoneLine({ name, type, value }: ZoneRecord): string {
  const isName = type === 'CNAME' || type === 'ALIAS';
  const written = type === 'TXT' ? `"${value}"` : isName ? `${value}.` : value;
  return `${name}. IN ${type} ${written}`;
}
