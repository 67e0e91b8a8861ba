import { canonicalHost } from '../host.ts';

/** The canonical name by which a TLS connection was made; the server takes none without. */
export function serverNameOf({ servername }: { servername?: unknown }): string {
  return canonicalHost(String(servername)) ?? '';
}
