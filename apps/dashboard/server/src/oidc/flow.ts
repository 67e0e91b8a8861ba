import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Sealer } from '../certificates/sealing.ts';
import type { Deps } from '../deps.ts';
import { clearHostCookie, readHostCookie, setHostCookie } from '../http/host-cookies.ts';
import { takeOnce } from '../store/used-once.ts';
import { SignInProblem } from './problem.ts';

/** How long someone may take at the provider, in milliseconds. */
export const FLOW_MS = 10 * 60_000;

/** A sign-in that has begun in a browser, and whose answer the provider has yet to give. */
export interface Flow {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /**
   * Whether it signs in; or, for the user of a session, links the provider with their account, or proves again who they
   * are.
   */
  readonly purpose:
    | { readonly kind: 'sign-in' }
    | { readonly kind: 'link' | 'confirm'; readonly sessionId: string };
  /** Where the browser goes afterwards. */
  readonly next: string;
  readonly endsAt: number;
}

type FlowDeps = Pick<Deps, 'db' | 'now' | 'addresses' | 'sealer'>;

/**
 * A flow is kept by the browser that began it, sealed, in a cookie of its own: two tabs do not disturb each other, and
 * strangers fill no table.
 */
const cookieOf = (state: string) => `dashboard_oidc_${hash('sha256', state, 'hex').slice(0, 16)}`;
const COOKIE = /^(?:__Host-)?(dashboard_oidc_[0-9a-f]{16})=/;

/**
 * So many at once. Any page can lead a browser to begin one after the other, and with more cookies than fit into the head
 * of a request the dashboard would be closed to it.
 */
const MAX_FLOWS = 4;

const contextOf = (provider: string) => `sign-in with ${provider}`;

export function keepFlow(
  request: FastifyRequest,
  reply: FastifyReply,
  { addresses, sealer }: FlowDeps,
  flow: Flow,
): void {
  // Browsers send the oldest first (RFC 6265, section 5.4).
  const earlier = (request.headers.cookie ?? '')
    .split(/; */)
    .flatMap((pair) => COOKIE.exec(pair)?.[1] ?? []);
  for (const name of earlier.slice(0, -(MAX_FLOWS - 1)))
    clearHostCookie(request, reply, addresses(), name);
  setHostCookie(request, reply, addresses(), cookieOf(flow.state), {
    value: sealer.seal(JSON.stringify(flow), contextOf(flow.provider)),
    seconds: FLOW_MS / 1_000,
  });
}

/**
 * The flow of a provider's answer, for this one time. Throws SignInProblem where this browser began none with that
 * state, it took too long, or was finished before.
 */
export async function takeFlow(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, now, addresses, sealer }: FlowDeps,
  { provider, state }: { provider: string; state: unknown },
): Promise<Flow> {
  if (typeof state !== 'string') throw new SignInProblem('not_begun_here');
  const [sealed, second] = readHostCookie(request, addresses(), cookieOf(state));
  if (sealed === undefined || second !== undefined) throw new SignInProblem('not_begun_here');
  clearHostCookie(request, reply, addresses(), cookieOf(state));
  const flow = opened(sealer, sealed, provider);
  if (!flow || flow.state !== state || flow.provider !== provider || flow.endsAt <= now())
    throw new SignInProblem('not_begun_here');
  const key = `state ${hash('sha256', state, 'hex')}`;
  // Whoever has a copy of the cookie cannot finish it again.
  const isFirst = await takeOnce(db, key, { now: now(), expiresAt: flow.endsAt });
  if (!isFirst) throw new SignInProblem('used');
  return flow;
}

function opened(sealer: Sealer, sealed: string, provider: string): Flow | undefined {
  try {
    return JSON.parse(sealer.open(sealed, contextOf(provider))) as Flow;
  } catch {
    return undefined;
  }
}
