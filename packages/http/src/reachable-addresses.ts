import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './networks.ts';

/** The timeout of one query to one name server, in milliseconds, and how often it is sent. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** RFC 6761, section 6.3: `localhost` is this machine, whatever a name server says. */
const LOOPBACK = addresses(['127.0.0.1', '::1']);

/** Why a host has no usable address, as a sentence for people. */
export class AddressError extends Error {
  override name = 'AddressError';
  /** Whether the host has addresses, none of which is allowed. */
  readonly isForbidden: boolean;

  constructor(message: string, { isForbidden = false } = {}) {
    super(message);
    this.isForbidden = isForbidden;
  }
}

export interface Network {
  /** As `ip:port`; none: the system's. */
  readonly dnsServers: readonly string[];
  /** Whether an IP address may be connected to. */
  readonly isAllowed: (address: string) => boolean;
}

/**
 * The addresses of a URL's host that may be connected to. The name is looked up only once, so that it cannot lead
 * elsewhere between the check and the connection: connect with `pinnedLookup`. Rejects with AddressError where there is
 * no address, or none that is allowed.
 *
 * The query goes to the name servers directly: the system's resolver would keep one of the few threads of the process
 * while it waits.
 */
export async function reachableAddresses(
  hostname: string,
  { dnsServers, isAllowed }: Network,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const host = bareHost(hostname);
  const found = await addressesOfHost(host, dnsServers, signal);
  const [first] = found;
  if (!first) throw new AddressError(`The name ${host} has no address.`);
  const usable = found.filter(({ address }) => isAllowed(address));
  if (usable.length > 0) return usable;
  throw new AddressError(
    `${host === first.address ? host : `${host} leads to ${first.address}, which`} is not an address of the internet.`,
    { isForbidden: true },
  );
}

/** A look-up for a connection that returns these addresses for any name. */
export function pinnedLookup(found: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    const [first] = found;
    if (all || !first) done(null, [...found]);
    else done(null, first.address, first.family);
  };
}

/** Whether a URL's host is a private address or `localhost`; other names are looked up when they are connected to. */
export function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname);
  return isLocalhost(host) || (isIP(host) !== 0 && !isPublicAddress(host));
}

/** A URL's host without the brackets of IPv6 and the dot of the root. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

async function addressesOfHost(
  host: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return addresses([host]);
  if (isLocalhost(host)) return LOOPBACK;
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const lookUps = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = lookUps.flatMap((lookUp) => (lookUp.status === 'fulfilled' ? lookUp.value : []));
    const failed = lookUps.map((lookUp) => lookUp.status === 'rejected' && lookUp.reason.code);
    if (found.length === 0 && !failed.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')) {
      throw new AddressError(`The name ${host} could not be looked up.`);
    }
    return addresses(found);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function addresses(list: readonly string[]): LookupAddress[] {
  return list.map((address) => ({ address, family: isIP(address) }));
}
