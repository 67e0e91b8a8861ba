import type { ExtendedError } from '../outcome.ts';

/** The link at which the chain of trust to a name breaks. */
export interface BrokenLink {
  readonly reason: BrokenLinkReason;
  /** The zone whose keys, signatures or DS record are wrong; '' is the root. */
  readonly zone: string;
  /** The records that cannot be trusted, such as `example.com DNSKEY`. */
  readonly at: string;
  /** When signatures ended or will begin, in seconds since 1970. */
  readonly instant?: number;
  /** The number of an algorithm. */
  readonly algorithm?: number;
  /** The tags of the keys that DS records name, and of those that the zone has. */
  readonly named?: readonly number[];
  readonly present?: readonly number[];
  /** The DS records that the zone's own keys would have. */
  readonly rightDs?: readonly string[];
  /** What the resolver says itself. */
  readonly extended: readonly ExtendedError[];
}

export type BrokenLinkReason =
  | 'dnssec_ds_without_key'
  | 'dnssec_key_mismatch'
  | 'dnssec_expired'
  | 'dnssec_not_yet_valid'
  | 'dnssec_wrong_signature'
  | 'dnssec_unsigned'
  | 'dnssec_algorithm'
  | 'dnssec_denial'
  | 'dnssec_bogus';

/** What resolvers' own codes mean (RFC 8914, section 4), where nothing else was found. */
const BY_CODE: Readonly<Record<number, BrokenLinkReason>> = {
  1: 'dnssec_algorithm',
  2: 'dnssec_algorithm',
  7: 'dnssec_expired',
  8: 'dnssec_not_yet_valid',
  9: 'dnssec_key_mismatch',
  10: 'dnssec_unsigned',
  12: 'dnssec_denial',
};

export function reasonOfCodes(extended: readonly ExtendedError[]): BrokenLinkReason {
  return extended.flatMap(({ code }) => BY_CODE[code] ?? [])[0] ?? 'dnssec_bogus';
}
