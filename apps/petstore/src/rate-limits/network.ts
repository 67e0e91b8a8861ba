import { isIP } from 'node:net';

/** IPv4 as a socket for both versions has it, and with the port that some proxies write behind it. */
const IPV4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/i;
const GROUPS = 8;
/** Of 64 bits: what one customer of a network is given at least, and can choose any address of. */
const NETWORK_GROUPS = 4;

/**
 * What stands for the client behind an address: an IPv4 address itself, and the /64 of an IPv6
 * address, however it is spelled. All that is no address, such as a proxy's `unknown`, counts as one.
 */
export function networkOf(address: string): string {
  const [, ipv4 = ''] = IPV4.exec(address) ?? [];
  if (isIP(ipv4) === 4) return ipv4;
  if (isIP(address) !== 6) return 'unknown';
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = Array<number>(Math.max(0, GROUPS - before.length - after.length)).fill(0);
  const network = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** The numbers between the colons; an IPv4 address at the end is below the network and counts for two. */
function groups(text: string): number[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? [0, 0] : [Number.parseInt(group, 16)]));
}
