import { getServers } from 'node:dns';
import { isPublicAddress } from '@petstore/http/networks.ts';
import type { Config } from '../config.ts';
import { isFailure } from '../domains/dns/outcome.ts';
import { createQuota, readServerAddress } from '../domains/dns/query-server.ts';
import { anyResolver, closestZone, resolver } from '../domains/dns/servers.ts';
import { zoneOf } from '../domains/hostname.ts';
import { guardedGet } from './guarded-get.ts';
import type { ServiceId } from './templates.ts';

/** The provider of a zone's DNS, as far as it speaks Domain Connect. */
export interface DnsProvider {
  readonly name: string;
  /** The zone that the name is in, as the DNS has it. */
  readonly zone: string;
  /** Where people apply templates, and what answers programs; without a slash at the end. */
  readonly urlSyncUX: string;
  readonly urlAPI: string;
}

/** How long all of it may take, in milliseconds. */
const TIMEOUT_MS = 8_000;

const MAX_NAME_LENGTH = 100;

type ProviderConfig = Pick<Config, 'dnsServers' | 'dnsPrivateServers'>;

/**
 * Finds the provider of a name's zone by the record `_domainconnect`, and asks it for its settings. undefined where
 * there is none, where it does not have the zone, or where it says anything unexpected. Never rejects.
 */
export async function findDnsProvider(
  hostname: string,
  config: ProviderConfig,
): Promise<DnsProvider | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const bounds = { signal, quota: createQuota() };
  const servers = config.dnsServers.length > 0 ? config.dnsServers : getServers();
  const dns = anyResolver(
    servers.map((server) => resolver(server, readServerAddress(server), bounds)),
  );
  const zone = (await closestZone(dns, hostname))?.zone ?? zoneOf(hostname);
  const outcome = await dns.lookUp(`_domainconnect.${zone}`, 'TXT');
  if (isFailure(outcome)) return undefined;
  // The record may be at the end of a CNAME.
  const prefix = outcome.records.find(({ type }) => type === 'TXT')?.value.trim();
  if (!prefix) return undefined;
  const base = urlOf(prefix.includes('://') ? prefix : `https://${prefix}`, config);
  if (!base) return undefined;
  const text = await guardedGet(
    `${base}/v2/${encodeURIComponent(zone)}/settings`,
    networkOf(config),
    signal,
  );
  return text === undefined ? undefined : readSettings(text, zone, config);
}

/** Whether the provider has taken a template. Never rejects. */
export async function hasTemplate(
  { urlAPI }: DnsProvider,
  providerId: string,
  serviceId: ServiceId,
  config: ProviderConfig,
): Promise<boolean> {
  const url = `${urlAPI}/v2/domainTemplates/providers/${providerId}/services/${serviceId}`;
  const text = await guardedGet(url, networkOf(config), AbortSignal.timeout(TIMEOUT_MS));
  return text !== undefined;
}

function readSettings(text: string, zone: string, config: ProviderConfig): DnsProvider | undefined {
  const settings = fieldsIn(text);
  const urlSyncUX = urlOf(settings.urlSyncUX, config);
  const urlAPI = urlOf(settings.urlAPI, config);
  const name = settings.providerDisplayName ?? settings.providerName;
  // Without an address for people, the provider has the other flow alone.
  if (!urlSyncUX || !urlAPI || typeof name !== 'string' || name.trim() === '') return undefined;
  return { name: name.trim().slice(0, MAX_NAME_LENGTH), zone, urlSyncUX, urlAPI };
}

function fieldsIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** An address of a provider without what would be in the way of a path behind it; plain http in a lab alone. */
function urlOf(value: unknown, { dnsPrivateServers }: ProviderConfig): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, host, pathname, username, search, hash } = new URL(value);
  const isAllowed =
    protocol === 'https:' || (protocol === 'http:' && dnsPrivateServers === 'allow');
  if (!isAllowed || username !== '' || search !== '' || hash !== '') return undefined;
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

function networkOf({ dnsServers, dnsPrivateServers }: ProviderConfig) {
  const isAllowed = dnsPrivateServers === 'allow' ? () => true : isPublicAddress;
  return { dnsServers, isAllowed };
}
