import { WELL_KNOWN_AUTHORITIES } from '../../certificates/well-known-authorities.ts';
import { type Authority, dnsRecord, type Expectation } from '../dns/expectation.ts';
import type { View } from '../dns/observation.ts';
import { allowingLine, caaBlock, caaSentence } from '../dns/rules/caa.ts';
import { FAILURE_WORDS } from '../dns/words.ts';
import { zoneOf } from '../hostname.ts';
import type { AuthorityPermission } from './simulation.ts';

interface Named extends Authority {
  readonly name: string;
  readonly isConfigured: boolean;
}

/** Which authorities the CAA records let issue: those of the dashboard, well-known ones, and `more` by its CAA name. */
export function permissionsOf(
  view: View,
  expectation: Expectation,
  more: string | undefined,
): AuthorityPermission[] {
  return authorities(expectation, more).map((authority) => ({
    name: authority.name,
    identity: authority.identities[0] ?? '',
    isConfigured: authority.isConfigured,
    ...permission(view, authority, false),
    wildcard: permission(view, authority, true),
    record: recordFor(view, expectation, authority),
  }));
}

const METHODS = ['http-01', 'tls-alpn-01', 'dns-01'] as const;

function authorities(expectation: Expectation, more: string | undefined): Named[] {
  const configured = expectation.authorities.map((one) => ({ ...one, isConfigured: true }));
  const known = new Set(configured.flatMap(({ identities }) => identities));
  const others = WELL_KNOWN_AUTHORITIES.filter(
    ({ identities }) => !identities.some((identity) => known.has(identity)),
  );
  const all = new Set([...known, ...others.flatMap(({ identities }) => identities)]);
  const typed = more === undefined || all.has(more) ? [] : [{ name: more, identities: [more] }];
  return [
    ...configured,
    ...[...typed, ...others].map((one) => ({
      ...one,
      ...{ isConfigured: false, accountUri: undefined, methods: METHODS },
    })),
  ];
}

type Permission = AuthorityPermission['wildcard'];

function permission({ caa }: View, authority: Named, forWildcard: boolean): Permission {
  if ('failure' in caa) {
    const explanation = `The query for the CAA record of ${caa.name} ${FAILURE_WORDS[caa.failure]}, so no authority may issue.`;
    return { isAllowed: false, reason: 'unanswered', explanation };
  }
  const { records } = caa;
  const [first] = records;
  if (!first)
    return { isAllowed: true, reason: null, explanation: 'No CAA record restricts who may issue.' };
  const values = records.map(({ value }) => value);
  const block = caaBlock(values, authority, forWildcard);
  return {
    isAllowed: block === undefined,
    reason: block?.why ?? null,
    explanation: block
      ? caaSentence(block, records, first.name, [authority], forWildcard)
      : `The CAA records of ${first.name} let it issue.`,
  };
}

/** The record that allows it: at the name that decides, or at the domain's own where none does. */
function recordFor(
  { caa }: View,
  { hostname, target }: Expectation,
  authority: Named,
): AuthorityPermission['record'] {
  if ('failure' in caa) return null;
  const owner = caa.records[0]?.name ?? zoneOf(hostname);
  // Those of the target are for whoever runs the dashboard.
  if (owner === target) return null;
  const values = caa.records.map(({ value }) => value);
  return dnsRecord('CAA', owner, allowingLine(values, authority));
}
