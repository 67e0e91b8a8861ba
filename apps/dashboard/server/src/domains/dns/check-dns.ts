import type { CanonicalHost } from '../../edge/host.ts';
import type { Verdict } from '../verdict.ts';

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
  /** The name's records lead to the claim's host, whatever else is wrong. */
  readonly pointsHere: boolean;
}
