import type { Verdict } from '../verdict.ts';
import type { Failure } from './outcome.ts';

/** A record as it is named in sentences and compared. */
export type Line = Verdict['remove'][number];

/** More of a kind are counted and not named. */
const MAX_LISTED = 5;
const MAX_SHOWN = 200;

/** What others wrote, fit for a sentence: of bounded length, without characters that are not seen. */
export function shown(text: string): string {
  const plain = text.replace(/\p{C}/gu, '\ufffd');
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain;
}

/** `docs.example.com CNAME abc.docs.example.net` */
export function line({ type, name, value }: Line): string {
  return shown(`${name} ${type} ${type === 'TXT' ? JSON.stringify(value) : value}`);
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

export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

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

/** What came in the place of an answer, for `The question … ` in front. */
export const FAILURE_WORDS: Readonly<Record<Failure, string>> = {
  servfail: 'was answered with an error (SERVFAIL)',
  refused: 'was refused',
  timeout: 'was not answered in time',
  malformed: 'was answered with something that is no DNS message',
};
