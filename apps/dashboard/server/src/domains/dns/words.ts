import type { Verdict } from '../verdict.ts';
import type { Failure } from './outcome.ts';

/** A record in the words of messages. */
export type Line = Verdict['remove'][number];

/** Further records are only counted. */
const MAX_LISTED = 5;
const MAX_SHOWN = 200;

/** Text of others for a sentence: shortened, and without invisible characters. */
export function printable(text: string): string {
  const plain = text.replace(/\p{C}/gu, '\ufffd');
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}

/** `docs.example.com CNAME abc.docs.example.net` */
export function line({ type, name, value }: Line): string {
  return printable(`${name} ${type} ${type === 'TXT' ? JSON.stringify(value) : value}`);
}

export function lines(records: readonly Line[]): string {
  const named = records.slice(0, MAX_LISTED).map(line);
  const more = records.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** `an A record`, `A and AAAA records`: each type once. */
export function someRecords(records: readonly Line[]): string {
  const types = [...new Set(records.map(({ type }) => type))];
  if (records.length > 1) return `${listed(types)} records`;
  return `${/^[AM]/.test(types.join()) ? 'an' : 'a'} ${types.join()} record`;
}

export function listed(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  if (words.length < 2) return words.join();
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

export function capital(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

/**
 * Where a value differs from the one that is wanted, after `…: `, by its characters counted from 1:
 * `character 3 is "x" and must be "c"`, `"c" is missing after character 2`.
 */
export function differenceInWords(value: string, wanted: string): string {
  const at = value.indexOf(wanted);
  if (at >= 0) {
    const [before, after] = [value.slice(0, at), value.slice(at + wanted.length)];
    const around = [
      ...(before === '' ? [] : [`${quotedText(before)} in front of it`]),
      ...(after === '' ? [] : [`${quotedText(after)} behind it`]),
    ];
    return `${listed(around)} must go`;
  }
  const most = Math.min(value.length, wanted.length);
  let start = 0;
  while (start < most && value[start] === wanted[start]) start += 1;
  let end = 0;
  while (end < most - start && value.at(-1 - end) === wanted.at(-1 - end)) end += 1;
  const has = value.slice(start, value.length - end);
  const must = wanted.slice(start, wanted.length - end);
  const place = start === 0 ? 'at its beginning' : `after character ${start}`;
  if (must === '') return `${quotedText(has)} ${place} must go`;
  if (has === '') return `${quotedText(must)} is missing ${place}`;
  return has.length === 1
    ? `character ${start + 1} is ${quotedText(has)} and must be ${quotedText(must)}`
    : `characters ${start + 1} to ${start + has.length} are ${quotedText(has)} and must be ${quotedText(must)}`;
}

const quotedText = (text: string) => `"${printable(text)}"`;

/** `90 minutes`, for people: rounded up. */
export function duration(seconds: number): string {
  const [amount, unit] =
    seconds <= 120
      ? [seconds, 'second']
      : seconds <= 7_200
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.ceil(seconds / 3_600), 'hour'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Why there was no answer, after `The query …`. */
export const FAILURE_WORDS: Readonly<Record<Failure, string>> = {
  servfail: 'was answered with an error (SERVFAIL)',
  refused: 'was refused',
  timeout: 'was not answered in time',
  malformed: 'was answered with a malformed DNS message',
  dnssec_bogus: 'has an answer whose DNSSEC signatures are not valid',
};

/** Why there was no answer, after a record: `SERVFAIL`. */
export function failureCode(failure: Failure): string {
  return failure === 'dnssec_bogus' ? 'DNSSEC validation failed' : failure.toUpperCase();
}
