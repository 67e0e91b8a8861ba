import { isIP } from 'node:net';
import { bareHost } from '@petstore/http/reachable-addresses.ts';
import type { FastifyRequest } from 'fastify';
import type { Addresses } from '../../addresses.ts';
import { conflict } from '../../api-error.ts';

/** For whom passkeys are made and with whom alone they work: the dashboard's host (WebAuthn, section 4). */
export interface RelyingParty {
  readonly id: string;
  /** The origin of the pages that may ask for them. */
  readonly origin: string;
}

type Asked = Pick<FastifyRequest, 'host'>;

/**
 * Who asks for a passkey: the host that the dashboard is configured to be at. Browsers make none for an IP address, nor
 * without TLS unless it is `localhost`; a dashboard at a loopback address is `localhost`, too, for those who open it by
 * that name. undefined where no browser would make one.
 */
export function relyingPartyOf(
  { host }: Asked,
  { dashboard }: Pick<Addresses, 'dashboard'>,
): RelyingParty | undefined {
  const url = new URL(dashboard);
  const id = bareHost(url.hostname);
  if (isLocalhost(id) || (url.protocol === 'https:' && isIP(id) === 0)) {
    return { id, origin: url.origin };
  }
  const isLoopback = /^(127\.[\d.]+|::1)$/.test(id);
  if (isLoopback && host.replace(/:\d+$/, '') === 'localhost') {
    return { id: 'localhost', origin: `http://${host}` };
  }
  return undefined;
}

/** The same. Throws ApiError `conflict` where no browser would make a passkey. */
export function checkRelyingParty(
  request: Asked,
  addresses: Pick<Addresses, 'dashboard'>,
): RelyingParty {
  const found = relyingPartyOf(request, addresses);
  if (!found) throw conflict(`Passkeys cannot be used here. ${whyNoPasskeys(addresses)}`);
  return found;
}

/** What to do where there is no relying party. */
export function whyNoPasskeys({ dashboard }: Pick<Addresses, 'dashboard'>): string {
  const url = new URL(dashboard);
  const isLoopback = /^(127\.|\[::1\])/.test(url.hostname);
  return isLoopback
    ? `Browsers make them for names, not for addresses: open http://localhost:${url.port} instead.`
    : `Browsers make them for names over HTTPS alone, and this dashboard is at ${dashboard} (DASHBOARD_PUBLIC_URL).`;
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
