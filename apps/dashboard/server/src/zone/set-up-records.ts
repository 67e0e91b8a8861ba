import { isIPv4 } from 'node:net';
import { wildcardCertificate } from '../certificates/platform-names.ts';
import type { Config } from '../config.ts';
import { dnsRecord } from '../domains/dns/expectation.ts';
import type { DnsRecord } from '../domains/verdict.ts';
import { delegationRecords } from './delegation.ts';
import { challengeName, hasPlatform, PLATFORM_LABEL, wildcardOf } from './zone-records.ts';

type RecordsConfig = Pick<Config, 'platformHost' | 'dnsZone' | 'domain'>;

/** The address records of the installation's own names; none where it is not served at names of its own. */
export function addressRecords({ platformHost, dnsZone, domain }: RecordsConfig): DnsRecord[] {
  if (!domain || !dnsZone) return [];
  const names = [platformHost, wildcardOf(platformHost), domain.petstore?.name ?? []].flat();
  // The zone has those in it by itself.
  const wanted = names.filter((name) => !hasPlatform(dnsZone, name));
  return wanted.flatMap((name) =>
    dnsZone.addresses.map((address) => dnsRecord(isIPv4(address) ? 'A' : 'AAAA', name, address)),
  );
}

/** The record that leads the wildcard's challenges into the zone; null where they are in it. */
export function challengeRecord(config: RecordsConfig): DnsRecord | null {
  const { dnsZone, platformHost } = config;
  if (!dnsZone || hasPlatform(dnsZone, platformHost)) return null;
  const { host } = wildcardCertificate(config);
  const target = challengeName(PLATFORM_LABEL, dnsZone, config);
  return dnsRecord('CNAME', `_acme-challenge.${host}`, target);
}

/** All records that an installation with names of its own needs in the DNS, in the order in which to create them. */
export function setUpRecords(config: RecordsConfig): DnsRecord[] {
  if (!config.dnsZone) return [];
  return [
    ...addressRecords(config),
    ...delegationRecords(config.dnsZone),
    challengeRecord(config) ?? [],
  ].flat();
}
