import type { Expectation } from '../../../../server/src/domains/dns/expectation.ts';
import { judge } from '../../../../server/src/domains/dns/judge.ts';
import type { View } from '../../../../server/src/domains/dns/observation.ts';
import type {
  Failure,
  Outcome,
  RecordType,
  ResourceRecord,
} from '../../../../server/src/domains/dns/outcome.ts';
import { TARGET } from './model-dns.ts';

// What one server has of a name, without a network, and the verdict on it as a text of a fixture.

export const DOCS = 'docs.example.com';
export const APEX = 'example.com';

export const record = (
  type: RecordType,
  value: string,
  name = DOCS,
  ttl = 300,
): ResourceRecord => ({
  ...{ type, name, value, ttl },
});
export const cname = (value = TARGET, name = DOCS) => record('CNAME', value, name);
const nothing: Outcome = { kind: 'nodata', records: [], negativeTtl: 60 };
export const found = (...records: ResourceRecord[]): Outcome => ({ kind: 'found', records });

const EMPTY: View = {
  label: 'ns1.example.com',
  chain: { hops: [], end: 'here' },
  otherCnames: [],
  negativeTtl: undefined,
  own: { A: nothing, AAAA: nothing, TXT: nothing, MX: nothing },
  wildcard: [],
  target: { addresses: ['192.0.2.10', '2001:db8::10'], failure: undefined },
  proof: undefined,
  elsewhere: [],
  caa: { records: [] },
  climb: [],
  isAuthentic: false,
};

/** A view of a name that has nothing, and what it has. */
export const view = (changes: Partial<View>): View => ({ ...EMPTY, ...changes });
export const named = (label: string, changes: Partial<View>) => ({ ...view(changes), label });
export const own = (changes: Partial<View['own']>) => ({ own: { ...EMPTY.own, ...changes } });
export const chain = (end: View['chain']['end'], ...hops: ResourceRecord[]) => ({
  chain: { hops, end },
});
export const right = chain('target', cname());
export const apexRight = own({ A: found(record('A', '192.0.2.10', APEX)) });
export const proven = (values: string[], alias?: ResourceRecord, failure?: Failure) => ({
  proof: { values, alias, failure },
});
export const caa = (name: string, ...values: string[]) => ({
  caa: { records: values.map((value) => record('CAA', value, name)) },
});
export const platform = (failure?: Failure) => ({ target: { addresses: [], failure } });

/** What a name has, each with a title. */
export type Cases = Readonly<Record<string, Partial<View>>>;

/** A name in words, what it has, and what it should have. */
export type Name = readonly [title: string, cases: Cases, expectation: Expectation];

export const judged = (views: View[], expectation: Expectation, resolvers: View[] = []) =>
  judge({ zoneServers: views, resolvers }, expectation);

/** The verdict on each case, to the letter. */
export function verdictsInWords(names: readonly Name[]): string {
  const text = names.flatMap(([name, cases, expectation]) =>
    Object.entries(cases).map(([title, changes]) => {
      const { verdict, pointsHere, challengeHere } = judged([], expectation, [view(changes)]);
      const { code, reason, message, expected, found: has, remedy, authorities = [] } = verdict;
      const line = (it: { type: string; name: string; value: string }) =>
        `${it.type} ${it.name} ${it.value}`;
      return [
        `## ${name}: ${title}`,
        `${code}/${reason}${pointsHere ? ', points here' : ''}${challengeHere ? ', challenges here' : ''}`,
        message,
        `expected: ${expected}`,
        `found:    ${has}`,
        `remedy:   ${remedy}`,
        ...verdict.remove.map((it) => `remove:   ${line(it)}`),
        ...verdict.add.map((it) => `add:      ${line(it)} (${it.host}, ${it.ttl} s)`),
        ...authorities.map(
          (it) =>
            `${it.isAllowed ? 'may:      ' : 'may not:  '}${it.name} (${it.identity}, ${it.directoryUrl})`,
        ),
        `retry:    ${verdict.retryAfterSeconds}`,
      ].join('\n');
    }),
  );
  return `${text.join('\n\n')}\n`;
}
