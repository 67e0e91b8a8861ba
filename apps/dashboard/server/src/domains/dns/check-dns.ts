import { getServers } from 'node:dns';
import type { Expectation } from './expectation.ts';
import { type CheckResult, judge } from './judge.ts';
import { observe } from './observe.ts';

export interface DnsCheckOptions {
  /** Resolvers as `ip:port`; none: the system's. */
  readonly servers: readonly string[];
  /** The port of the zone's own servers. */
  readonly authoritativePort: number;
  /** Whether the zone's own servers may have private addresses. A resolver may always have one. */
  readonly arePrivateAllowed: boolean;
  readonly signal?: AbortSignal;
}

/** The longest time that a check takes, in milliseconds; most take a few. */
const TIMEOUT_MS = 5_000;

/** Looks a name up and compares its DNS with the expectation. Rejects only with the reason of `signal`. */
export async function checkDns(
  expectation: Expectation,
  { servers, authoritativePort, arePrivateAllowed, signal }: DnsCheckOptions,
): Promise<CheckResult> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const observation = await observe(expectation, {
    servers: servers.length > 0 ? servers : getServers(),
    authoritativePort,
    arePrivateAllowed,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  signal?.throwIfAborted();
  return judge(observation, expectation);
}
