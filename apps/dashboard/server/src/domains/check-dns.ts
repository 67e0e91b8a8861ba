import { getServers } from 'node:dns';
import type { Config } from '../config.ts';
import type { Expectation } from './dns/expectation.ts';
import { type CheckResult, judge } from './dns/judge.ts';
import type { Observation } from './dns/observation.ts';
import { observe, observeChanged } from './dns/observe.ts';
import type { ResourceRecord } from './dns/outcome.ts';
import type { RecordChanges } from './dns/record-changes.ts';
import { recordsSeen } from './move/seen-records.ts';

export interface DnsCheckOptions {
  /** Resolvers as `ip:port`; none: the system's. */
  readonly servers: readonly string[];
  /** The port of the zone's own servers. */
  readonly authoritativePort: number;
  /** Whether the zone's own servers may have private addresses. A resolver may always have one. */
  readonly arePrivateAllowed: boolean;
  readonly signal?: AbortSignal;
}

/** How the configuration has the DNS asked. */
export function dnsOptions(config: Config): DnsCheckOptions {
  return {
    servers: config.dnsServers,
    authoritativePort: config.dnsAuthoritativePort,
    arePrivateAllowed: config.dnsPrivateServers === 'allow',
  };
}

/** The longest time that a check takes, in milliseconds; most take a few. */
const TIMEOUT_MS = 5_000;

/** Looks a name up and compares its DNS with the expectation. Rejects only with the reason of `signal`. */
export async function checkDns(
  expectation: Expectation,
  options: DnsCheckOptions,
): Promise<CheckResult & { readonly records: readonly ResourceRecord[] }> {
  const observation = await observe(expectation, bounded(options));
  options.signal?.throwIfAborted();
  return {
    ...judge(observation, expectation),
    records: recordsSeen(observation, expectation.hostname),
  };
}

/** What the DNS would have for an expectation with each of some changes. Rejects only with the reason of `signal`. */
export async function observeDns(
  expectation: Expectation,
  changes: readonly RecordChanges[],
  options: DnsCheckOptions,
): Promise<Observation[]> {
  const observations = await observeChanged(expectation, changes, bounded(options));
  options.signal?.throwIfAborted();
  return observations;
}

/** With the system's resolvers where none is named, and an end. Throws the reason of `signal`. */
function bounded({ servers, signal, ...options }: DnsCheckOptions) {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  return {
    ...options,
    servers: servers.length > 0 ? servers : getServers(),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  };
}
