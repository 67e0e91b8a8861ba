export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

/** A record of a response. Names, also in values, are in lower case without a last dot. */
export interface ResourceRecord {
  readonly name: string;
  readonly type: RecordType;
  /** In seconds; from a resolver: the remaining ones. */
  readonly ttl: number;
  /** As in a zone file; of TXT the joined strings without quotes. */
  readonly value: string;
}

/**
 * Why a query has no answer. A closed port counts as a timeout. `dnssec_bogus`: a resolver has an answer, and its DNSSEC
 * validation fails.
 */
export type Failure = 'servfail' | 'refused' | 'timeout' | 'malformed' | 'dnssec_bogus';

/** The result of a query. The records may be at another name, at the end of a CNAME chain. */
export type Outcome = Answer | FailedQuery;

export interface FailedQuery {
  readonly kind: Failure;
  /** Why, as resolvers say it (RFC 8914). */
  readonly extended?: readonly ExtendedError[];
}

export interface ExtendedError {
  readonly code: number;
  /** Of the resolver's operator: for people, and untrusted. */
  readonly text: string;
}

type Answer = {
  /** The resolver has validated it by DNSSEC. */
  readonly isAuthentic?: boolean;
} & (
  | { readonly kind: 'found'; readonly records: readonly ResourceRecord[] }
  | {
      readonly kind: 'nodata' | 'nxdomain';
      /** The CNAME records of the chain. */
      readonly records: readonly ResourceRecord[];
      /** How long resolvers cache this answer, in seconds (RFC 2308, section 5). */
      readonly negativeTtl: number | undefined;
      /** The name servers of the zone that the name is in, where the server only knows these (RFC 1034, section 4.3.1). */
      readonly referral?: readonly ResourceRecord[];
    }
);

export function isFailure(outcome: Outcome): outcome is FailedQuery {
  return !('records' in outcome);
}

/** The records of a type at the name itself. */
export function recordsAt(
  outcome: Outcome,
  name: string,
  type: RecordType,
): readonly ResourceRecord[] {
  if (isFailure(outcome)) return [];
  return outcome.records.filter((record) => record.name === name && record.type === type);
}

/** The types of records that somebody may think of. Servers answer for an ALIAS with the addresses of its target. */
export const CHANGEABLE_TYPES = ['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'TXT'] as const;
export type ChangeableType = (typeof CHANGEABLE_TYPES)[number];
