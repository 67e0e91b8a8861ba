import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { clearHostCookie, readHostCookie, setHostCookie } from '../http/host-cookies.ts';

/** Someone has signed in with a provider, and may link it with the account that has their address: by its password. */
export interface PendingLink {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The address of the account, which is the one that the provider has verified. */
  readonly email: string;
  readonly next: string;
  readonly endsAt: number;
}

/** How long the password may take, in milliseconds. */
export const PENDING_LINK_MS = 10 * 60_000;

const COOKIE = 'dashboard_oidc_link';
const CONTEXT = 'link to a provider';

type LinkDeps = Pick<Deps, 'now' | 'addresses' | 'sealer'>;

/** Keeps it in the browser, sealed. */
export function keepPendingLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { addresses, sealer }: LinkDeps,
  link: PendingLink,
): void {
  setHostCookie(request, reply, addresses(), COOKIE, {
    value: sealer.seal(JSON.stringify(link), CONTEXT),
    seconds: PENDING_LINK_MS / 1_000,
  });
}

/** What the browser keeps; undefined where it keeps none, or it has ended. */
export function readPendingLink(
  request: FastifyRequest,
  { now, addresses, sealer }: LinkDeps,
): PendingLink | undefined {
  const [sealed, second] = readHostCookie(request, addresses(), COOKIE);
  if (sealed === undefined || second !== undefined) return undefined;
  try {
    const link = JSON.parse(sealer.open(sealed, CONTEXT)) as PendingLink;
    return link.endsAt > now() ? link : undefined;
  } catch {
    return undefined;
  }
}

export function clearPendingLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { addresses }: Pick<Deps, 'addresses'>,
): void {
  clearHostCookie(request, reply, addresses(), COOKIE);
}
