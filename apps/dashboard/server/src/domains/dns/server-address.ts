import { isIP } from 'node:net';

export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/** `ip`, `ip:port`, `[ip]:port`: as DNS_SERVERS has them, and as Node tells the system's. */
export function readServerAddress(text: string): ServerAddress {
  if (isIP(text)) return { address: text, port: 53 };
  const colon = text.lastIndexOf(':');
  const address = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { address, port: Number(text.slice(colon + 1)) };
}
