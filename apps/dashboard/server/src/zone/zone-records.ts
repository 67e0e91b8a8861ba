import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Zone, ZoneRecord } from '@petstore/dns-server/zone-record.ts';
import type { Config } from '../config.ts';
import { nameServerOf, type ZoneConfig } from './zone-config.ts';

/** A challenge of DNS-01 under way (RFC 8555, section 8.4). */
export interface DnsChallenge {
  /** The label of its claim, which nobody guesses. */
  readonly label: string;
  readonly keyAuthorization: string;
}

/** In seconds. A challenge is new each time, and what was absent a moment ago may be there now. */
const CHALLENGE_TTL = 1;
const ABSENT_TTL = 1;
const TTL = 300;

/** How long secondary servers would wait, if there were any, in seconds. */
const SOA_TIMES = { refresh: 3_600, retry: 600, expire: 604_800, minimum: ABSENT_TTL };

/** The label of the platform's own challenges; those of claims are longer. */
export const PLATFORM_LABEL = 'platform';

/** That of the API that is served beside the dashboard. */
export const PETSTORE_LABEL = 'petstore';

/** The name of the certificate for all hosts directly below the platform's. */
export function wildcardOf(platformHost: string): string {
  return `*.${platformHost}`;
}

/** The name in the zone at which the challenges of a claim are, or of the platform. */
export function challengeName(
  label: string,
  zone: Pick<ZoneConfig, 'name'>,
  { platformHost }: Pick<Config, 'platformHost'>,
): string {
  // Authorities look here first, and no CNAME has to lead them anywhere.
  const isDirect = label === PLATFORM_LABEL && hasPlatform(zone, platformHost);
  return isDirect ? `_acme-challenge.${platformHost}` : `${label}.${zone.name}`;
}

/** Whether the platform's host, with all sites, is in the zone. */
export function hasPlatform({ name }: Pick<ZoneConfig, 'name'>, platformHost: string): boolean {
  return platformHost === name || platformHost.endsWith(`.${name}`);
}

/**
 * All that the installation's own zone has. Where the platform's host is in the zone, its addresses and those of all
 * sites are those of the name servers: the same machines serve both.
 */
export function zoneRecords(
  zone: ZoneConfig,
  { platformHost, domain }: Pick<Config, 'platformHost'> & Partial<Pick<Config, 'domain'>>,
  challenges: readonly DnsChallenge[],
): ZoneRecord[] {
  const { name } = zone;
  const records: ZoneRecord[] = [{ name, type: 'NS', ttl: TTL, data: nameServerOf(zone) }];
  const isPlatform = hasPlatform(zone, platformHost);
  const addressesAt = (at: string) => {
    for (const data of zone.addresses)
      records.push({ name: at, type: isIPv4(data) ? 'A' : 'AAAA', ttl: TTL, data });
  };
  if (isPlatform) for (const at of [platformHost, `*.${platformHost}`]) addressesAt(at);
  const petstore = domain?.petstore?.name;
  if (petstore !== undefined && hasPlatform(zone, petstore)) addressesAt(petstore);
  const named = Map.groupBy(challenges, ({ label }) =>
    challengeName(label, zone, { platformHost }),
  );
  for (const [at, of] of named) {
    const texts = new Set(of.map(({ keyAuthorization }) => challengeText(keyAuthorization)));
    for (const data of texts) records.push({ name: at, type: 'TXT', ttl: CHALLENGE_TTL, data });
    // A name with records is one for which the wildcard no longer stands.
    if (isPlatform && at.endsWith(`.${platformHost}`)) addressesAt(at);
  }
  return records;
}

/** The value of the TXT record of a challenge (RFC 8555, section 8.4). */
export function challengeText(keyAuthorization: string): string {
  return createHash('sha256').update(keyAuthorization).digest('base64url');
}

/** The zone with these records. */
export function withSoa(
  { name, ...zone }: ZoneConfig,
  records: readonly ZoneRecord[],
  serial: number,
): Zone {
  const mname = nameServerOf({ name, ...zone });
  const data = { mname, rname: `hostmaster.${name}`, serial, ...SOA_TIMES };
  return { origin: name, records: [{ name, type: 'SOA', ttl: TTL, data }, ...records] };
}
