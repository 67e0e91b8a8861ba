import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '@petstore/http/networks.ts';
import { type Env, integer, mustBe, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { parse } from 'tldts';
import { hostName, origin } from './config-values.ts';
import { zoneOf } from './domains/hostname.ts';
import { canonicalHost } from './edge/host.ts';

/** What `dashboard serve --domain` serves at names of its own, over HTTPS and without a proxy. */
export interface DomainConfig {
  /** The dashboard's own name, such as `docs.example.com`. It is the platform's host as well: sites are below it. */
  readonly name: string;
  /** Strict-Transport-Security of that name, in seconds; 0: none. */
  readonly hstsSeconds: number;
  /** undefined: no API is served. */
  readonly petstore: PetstoreConfig | undefined;
}

/** An API at a name of its own, which is passed on to where it listens. */
interface PetstoreConfig {
  readonly name: string;
  /** The origin of the running API. */
  readonly url: string;
}

/** 180 days: the dashboard is never offered without TLS at its name. */
const HSTS_SECONDS = 15_552_000;

const PETSTORE_URL = 'http://127.0.0.1:8080';

/** Reads DASHBOARD_DOMAIN and what belongs to it; undefined where it is unset. Throws UserError. */
export function readDomain(env: Env): DomainConfig | undefined {
  const hstsSeconds = integer(env, 'DASHBOARD_HSTS_SECONDS', HSTS_SECONDS, 0, 999_999_999);
  const url = origin(env, 'DASHBOARD_PETSTORE_URL') ?? PETSTORE_URL;
  if (!url.startsWith('http:'))
    throw mustBe('DASHBOARD_PETSTORE_URL', 'an http address of this machine or its network', url);
  const name = ownName(env, 'DASHBOARD_DOMAIN');
  const petstore = ownName(env, 'DASHBOARD_PETSTORE');
  if (name === undefined) {
    if (petstore === undefined) return undefined;
    throw new UserError(
      'DASHBOARD_PETSTORE (--petstore) needs DASHBOARD_DOMAIN (--domain): the API is served beside the dashboard.',
    );
  }
  if (petstore !== undefined && isPlatforms(petstore, name))
    throw new UserError(
      `DASHBOARD_PETSTORE (--petstore) must be a name that is not ${name} nor directly below it, where sites are, such as api.${zoneOf(name)}; got "${petstore}".`,
    );
  return {
    name,
    hstsSeconds,
    petstore: petstore === undefined ? undefined : { name: petstore, url },
  };
}

/**
 * The variables with what DASHBOARD_DOMAIN makes of those that are unset. Throws UserError where one that is set
 * contradicts it, or no address of this machine is known.
 */
export function withDomainDefaults(env: Env, interfaces = networkInterfaces): Env {
  const name = ownName(env, 'DASHBOARD_DOMAIN');
  if (name === undefined) return env;
  const publicPort = integer(env, 'EDGE_HTTPS_PUBLIC_PORT', 443, 1, 65_535);
  const address = new URL(`https://${name}:${publicPort}`).origin;
  agree('DASHBOARD_PLATFORM_HOST', hostName(env, 'DASHBOARD_PLATFORM_HOST', name), name, name);
  for (const variable of ['DASHBOARD_PUBLIC_URL', 'EDGE_PUBLIC_URL'])
    agree(variable, origin(env, variable) ?? address, address, name);
  const own = ownAddresses(interfaces);
  const set = (variable: string) => text(env, variable) !== undefined;
  // A name server at certain addresses is reached at those.
  const isReached =
    set('DNS_ADDRESSES') || (set('DNS_HOST') && !/^[0.:,\s]+$/.test(env.DNS_HOST ?? ''));
  const reached = own.filter(isPublicAddress);
  if (!isReached && reached.length === 0)
    throw new UserError(
      `Set DNS_ADDRESSES to the addresses at which the world reaches this machine, such as 203.0.113.10: its interfaces have no public one${own.length > 0 ? `, only ${own.join(', ')}` : ''}.`,
    );
  const defaults: Record<string, string> = {
    DASHBOARD_PLATFORM_HOST: name,
    DASHBOARD_PUBLIC_URL: address,
    EDGE_PUBLIC_URL: address,
    EDGE_HTTPS_PUBLIC_PORT: String(publicPort),
    EDGE_HOST: own.some((one) => one.includes(':')) ? '::' : '0.0.0.0',
    EDGE_HTTP_PORT: '80',
    EDGE_HTTPS_PORT: '443',
    DNS_ZONE: `acme.${name}`,
    // Not all addresses: systemd-resolved has port 53 of loopback.
    DNS_HOST: (own.length > 0 ? own : ['127.0.0.1']).join(','),
    ...(isReached ? {} : { DNS_ADDRESSES: reached.join(',') }),
  };
  const unset = Object.entries(defaults).filter(([variable]) => !set(variable));
  return { ...env, ...Object.fromEntries(unset) };
}

/** Whether a name is the platform's host or directly below it. */
function isPlatforms(name: string, platformHost: string): boolean {
  return name === platformHost || name.slice(name.indexOf('.') + 1) === platformHost;
}

/** A name below a public suffix, which a certificate can be for. */
function ownName(env: Env, variable: string): string | undefined {
  const raw = text(env, variable);
  if (raw === undefined) return undefined;
  const name = canonicalHost(raw);
  const isOwn = name !== undefined && name === raw.toLowerCase() && parse(name).domain !== null;
  if (isOwn) return name;
  throw mustBe(
    variable,
    'a domain name of yours, without https:// and port, such as docs.example.com',
    raw,
  );
}

function agree(variable: string, value: string, wanted: string, domain: string): void {
  if (value === wanted) return;
  throw new UserError(
    `${variable} is "${value}", and with the domain ${domain} it is ${wanted}. Unset ${variable}, or start without --domain (DASHBOARD_DOMAIN).`,
  );
}

/** The addresses at this machine's interfaces by which others may reach it. */
function ownAddresses(interfaces: typeof networkInterfaces): string[] {
  const all = Object.values(interfaces()).flatMap((list) => list ?? []);
  return all
    .filter(({ internal, address }) => !internal && !/^(?:fe[89ab]|169\.254\.)/i.test(address))
    .map(({ address }) => address);
}
