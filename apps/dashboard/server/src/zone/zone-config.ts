import { isIP } from 'node:net';
import { type Env, integer, mustBe, text } from '@petstore/service/environment.ts';
import { UserError } from '@petstore/service/user-error.ts';
import { list } from '../config-values.ts';
import { zoneOf } from '../domains/hostname.ts';
import { canonicalHost } from '../edge/host.ts';

/** The zone that the installation answers for itself. */
export interface ZoneConfig {
  /** Such as `acme.docs.example.com`. */
  readonly name: string;
  /** The addresses of this machine to listen on, and the port, for UDP and TCP. */
  readonly hosts: readonly string[];
  readonly port: number;
  /** The addresses at which others reach the name servers of all machines. */
  readonly addresses: readonly string[];
  /** Over UDP to one network (/24 or /56); 0: any number; undefined: what the name server does by itself. */
  readonly responsesPerSecond?: number;
}

/** `ns-` is put in front of the zone's first label. */
const MAX_FIRST_LABEL = 60;

/** Reads DNS_ZONE and what belongs to it; undefined where it is unset. Throws UserError. */
export function readZoneConfig(env: Env): ZoneConfig | undefined {
  const port = integer(env, 'DNS_PORT', 53, 0, 65_535);
  const responsesPerSecond = integer(env, 'DNS_RESPONSES_PER_SECOND', 200, 0, 1_000_000);
  const hosts = addresses(env, 'DNS_HOST');
  const given = addresses(env, 'DNS_ADDRESSES');
  const raw = text(env, 'DNS_ZONE');
  if (raw === undefined) return undefined;
  const name = canonicalHost(raw);
  const isBelow = name !== undefined && zoneOf(name) !== name;
  if (!isBelow || name !== raw.toLowerCase() || name.indexOf('.') > MAX_FIRST_LABEL)
    throw mustBe(
      'DNS_ZONE',
      'a name below a domain of yours that has no records yet, such as acme.docs.example.com',
      raw,
    );
  const listening = hosts.length > 0 ? hosts : ['127.0.0.1'];
  const reached = given.length > 0 ? given : listening;
  if (reached.some(isUnspecified))
    throw new UserError(
      'DNS_ADDRESSES must be set to the addresses at which others reach this machine, such as 203.0.113.10, since DNS_HOST is all of its addresses.',
    );
  return { name, hosts: listening, port, addresses: reached, responsesPerSecond };
}

function addresses(env: Env, name: string): string[] {
  const listed = list(env, name);
  if (listed.some((entry) => isIP(entry) === 0))
    throw mustBe(name, 'IP addresses, separated by commas', text(env, name) ?? '');
  return listed;
}

function isUnspecified(address: string): boolean {
  return /^[0.:]+$/.test(address);
}

/**
 * The name of the zone's name server: beside the zone, in its parent, so that its address is a record like any other
 * there, and needs no glue.
 */
export function nameServerOf({ name }: Pick<ZoneConfig, 'name'>): string {
  return `ns-${name}`;
}

/** The zone in whose DNS the records of the delegation belong, as people know it. */
export function parentOf({ name }: Pick<ZoneConfig, 'name'>): string {
  return name.slice(name.indexOf('.') + 1);
}
