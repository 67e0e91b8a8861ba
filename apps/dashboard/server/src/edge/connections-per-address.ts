import { isIPv4, type Socket } from 'node:net';

/**
 * Keeps one client from taking every connection that there is: so many for an address, which is the 64 bits
 * of a network in IPv6. Connections of this machine itself, such as a proxy's, are not counted.
 *
 * 0: no bound.
 * The function it returns tells whether a connection that has just been made may stay.
 */
export function connectionsPerAddress(max: number): (socket: Socket) => boolean {
  const counts = new Map<string, number>();
  return (socket) => {
    const { remoteAddress } = socket;
    // It has left already.
    if (remoteAddress === undefined) return false;
    if (max === 0) return true;
    const network = networkOf(remoteAddress);
    if (network === undefined) return true;
    const count = counts.get(network) ?? 0;
    if (count >= max) return false;
    counts.set(network, count + 1);
    socket.once('close', () => {
      const left = (counts.get(network) ?? 0) - 1;
      if (left > 0) counts.set(network, left);
      else counts.delete(network);
    });
    return true;
  };
}

/** undefined: this machine. */
function networkOf(remoteAddress: string): string | undefined {
  // A server on both families has IPv4 as IPv6.
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  if (address === '::1' || address === '127.0.0.1') return undefined;
  return isIPv4(address) ? address : networkOfIPv6(address);
}

/** The first four groups; zeros may have been left out among them (RFC 5952, section 4.2). */
function networkOfIPv6(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array(zeros).fill('0'), ...last].slice(0, 4).join(':');
}
