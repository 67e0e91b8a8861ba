export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

/** A record of an answer. Names, in values too, are in lower case without a last dot. */
export interface Resource {
  readonly name: string;
  readonly type: RecordType;
  /** Seconds; from a resolver: those that are left. */
  readonly ttl: number;
  /** As in a zone file, but for TXT: its text, the strings joined, without quotes. */
  readonly value: string;
}

/** Why a question has no answer. Where nobody listens, that is a timeout too, and a short one. */
export type Failure = 'servfail' | 'refused' | 'timeout' | 'malformed';

/** How a question ended. What is found may be at another name, to which CNAME records lead. */
export type Outcome =
  | { readonly kind: 'found'; readonly records: readonly Resource[] }
  | {
      readonly kind: 'nodata' | 'nxdomain';
      /** The CNAME records on the way. */
      readonly records: readonly Resource[];
      /** Seconds for which resolvers go on saying so (RFC 2308, section 5). */
      readonly negativeTtl: number | undefined;
    }
  | { readonly kind: Failure };

export function isFailure(outcome: Outcome): outcome is { readonly kind: Failure } {
  return !('records' in outcome);
}

/** The records of a type that stand at the name itself. */
export function recordsAt(outcome: Outcome, name: string, type: RecordType): readonly Resource[] {
  if (isFailure(outcome)) return [];
  return outcome.records.filter((record) => record.name === name && record.type === type);
}
