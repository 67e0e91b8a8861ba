import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { readHostCookie, setHostCookie } from '../http/host-cookies.ts';
import { randomId } from './secrets.ts';

/**
 * A browser in which the user of an account proved who they are before. Its tries of the password are counted apart from
 * those of strangers, who could otherwise keep a user out by trying wrong ones from everywhere.
 */
export interface KnownBrowser {
  readonly userId: string;
  /** Of this browser and this proof. */
  readonly id: string;
}

const COOKIE = 'dashboard_browser';
const CONTEXT = 'browser that an account knows';
const LIFETIME_MS = 180 * 86_400_000;

type BrowserDeps = Pick<Deps, 'now' | 'addresses' | 'sealer'>;

/** Remembers in the browser, sealed, whose account it signed in to last. It opens nothing. */
export function rememberBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { now, addresses, sealer }: BrowserDeps,
  { id: userId }: { readonly id: string },
): void {
  const known = { userId, id: randomId(16), endsAt: now() + LIFETIME_MS };
  setHostCookie(request, reply, addresses(), COOKIE, {
    value: sealer.seal(JSON.stringify(known), CONTEXT),
    seconds: LIFETIME_MS / 1_000,
  });
}

/** What the browser of a request remembers; undefined where that is nothing, or too old. */
export function knownBrowser(
  request: FastifyRequest,
  { now, addresses, sealer }: BrowserDeps,
): KnownBrowser | undefined {
  const [sealed, second] = readHostCookie(request, addresses(), COOKIE);
  if (sealed === undefined || second !== undefined) return undefined;
  try {
    const known = JSON.parse(sealer.open(sealed, CONTEXT)) as KnownBrowser & { endsAt: number };
    return known.endsAt > now() ? known : undefined;
  } catch {
    return undefined;
  }
}
