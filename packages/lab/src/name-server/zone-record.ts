/** The types that a zone can hold. ALIAS is the one that no client ever sees: the server answers with addresses. */
export type ZoneRecordType = 'A' | 'AAAA' | 'ALIAS' | 'CAA' | 'CNAME' | 'MX' | 'NS' | 'SOA' | 'TXT';

/** A record, its value written as in a zone file: `0 issue "letsencrypt.org"`, `10 mail.example.test`. */
export interface ZoneRecord {
  /** The whole name. Case and a last dot make no difference. */
  readonly name: string;
  readonly type: ZoneRecordType;
  /** Of TXT: the text as it is, without quotes; a list for a record of several strings. */
  readonly value: string | readonly string[];
  /** Seconds; 300 where it is left out. */
  readonly ttl?: number;
}

export const DEFAULT_TTL = 300;

/** A name as zones compare it. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Whether a name is `ancestor` or below it; everything is below the root, ''. */
export function isAtOrBelow(name: string, ancestor: string): boolean {
  return ancestor === '' || name === ancestor || name.endsWith(`.${ancestor}`);
}

/** A name without its first label; '' is the root. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
