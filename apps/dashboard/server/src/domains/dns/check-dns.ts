import { getServers } from 'node:dns';
import type { CanonicalHost } from '../../edge/host.ts';
import type { Verdict } from '../verdict.ts';
import { observe } from './observe.ts';
import { verdict } from './verdict.ts';

/** What the DNS of a claimed name should say. */
export interface Expectation {
  readonly hostname: CanonicalHost;
  /** The claim's own host under the platform's. */
  readonly target: CanonicalHost;
  /** The TXT record that has to be there: for an apex, and for a name that another project holds. */
  readonly proof: { readonly name: string; readonly value: string } | undefined;
  readonly authority: Authority;
}

/** What CAA records (RFC 8659, RFC 8657) must allow. */
export interface Authority {
  /** The issuer domain names that the authority goes by; the first is the one to name in a new record. */
  readonly identities: readonly string[];
  readonly accountUri: string | undefined;
  readonly methods: readonly ('http-01' | 'tls-alpn-01')[];
}

export interface DnsCheck {
  readonly verdict: Verdict;
  /**
   * The name's records lead to the claim's host, whatever else is wrong. Where the verdict is
   * `dns_error`, false only means that nothing was seen that does.
   */
  readonly pointsHere: boolean;
}

export interface DnsCheckOptions {
  /** Resolvers as `ip:port`; none: the system's. */
  readonly servers: readonly string[];
  /** The port at which the zone's own servers are asked. */
  readonly authoritativePort: number;
  /** Whether those may be on this machine and in its private network. A resolver's address always may. */
  readonly arePrivateAllowed: boolean;
  readonly signal?: AbortSignal;
}

/** A check takes milliseconds, and never longer than this. */
const TIMEOUT_MS = 5_000;

/**
 * Looks a name up and says how its DNS compares with what it should be. Rejects only with the reason
 * of `signal`, when that aborts.
 */
export async function checkDns(
  expectation: Expectation,
  { servers, authoritativePort, arePrivateAllowed, signal }: DnsCheckOptions,
): Promise<DnsCheck> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const observation = await observe(expectation, {
    servers: servers.length > 0 ? servers : getServers(),
    authoritativePort,
    arePrivateAllowed,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  signal?.throwIfAborted();
  return verdict(observation, expectation);
}
