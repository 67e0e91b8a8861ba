import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The network of the client behind an address: an IPv4 address itself, and the /64 of an IPv6 address, which is the
 * least that a customer has and can choose any address of. IPv4 may be mapped into IPv6 and have a port behind it, as
 * some proxies write it. `unknown` for anything else.
 */
export function clientNetwork(text: string): string {
  // Without the zone of a link-local address: a zone may be any name, such as `%eth0.100`.
  const address = text.replace(/(\.\d+):\d+$/, '$1').replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** IPv4 that is not the internet: IANA's special-purpose registry (RFC 6890), and multicast. */
const SPECIAL_V4 = blocks('ipv4', [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8], // private (RFC 1918)
  ['100.64.0.0', 10], // shared by a carrier's customers (RFC 6598)
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's own services, at an address that looks public
  ['169.254.0.0', 16], // link-local, with the metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast and reserved
]);

/**
 * The IPv6 addresses that IANA has allocated so far (RFC 4291). Loopback, private and mapped IPv4 addresses are not
 * among them.
 */
const GLOBAL_V6 = blocks('ipv6', [['2000::', 3]]);

/** Ranges within them that are not the internet, or lead to any IPv4 address. */
const SPECIAL_V6 = blocks('ipv6', [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]);

/** Whether an IP address is one of the public internet, so that anyone may have this service connect to it. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL_V4.check(address);
  return GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6');
}

function blocks(family: 'ipv4' | 'ipv6', nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
}
