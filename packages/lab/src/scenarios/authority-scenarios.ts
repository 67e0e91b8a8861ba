import { IDENTITY } from '../certificate-authority/authority.ts';
import type { Scenario } from './scenario.ts';

/** Reasons why the authority issues no certificate though the records are right. */
export const AUTHORITY_SCENARIOS: readonly Scenario[] = [
  caa(
    'caa-parent',
    'A CAA record of the zone for another authority',
    '0 issue "other-authority.test"',
    'with the name that carries the record and the line to add.',
  ),
  caa(
    'caa-critical',
    'A critical CAA property that nobody knows',
    '128 unknown-property "what is this"',
    'since an authority must refuse what it does not understand.',
  ),
  caa(
    'caa-account',
    "A CAA record for another account's certificates",
    `0 issue "${IDENTITY}; accounturi=https://${IDENTITY}/account/another"`,
    'since the record allows this authority for another account alone (RFC 8657).',
  ),
  {
    id: 'authority-fails',
    title: 'The authority cannot look the name up',
    verdict: 'verified',
    expect:
      'and then a failed certificate, with the problem in plain words, what is left of the budget, and when the next try is safe.',
    area: 'Authority',
    setup: ({ hostname, records }) => ({
      records,
      // Only its addresses: the names below an apex have their own, and get their CAA records from it.
      faults: ['A', 'AAAA'].map((type) => ({
        to: 'authority',
        how: 'servfail',
        scope: { exactName: hostname, type },
      })),
    }),
  },
  {
    id: 'authority-rate-limited',
    title: 'The authority refuses orders (rateLimited)',
    verdict: 'verified',
    expect: 'and then rateLimited, with the time from which orders are taken again.',
    area: 'Authority',
    setup: ({ records }) => ({ records, isRateLimited: true }),
  },
];

function caa(id: string, title: string, value: string, expect: string): Scenario {
  return {
    id,
    title,
    verdict: 'caa_blocks',
    expect,
    area: 'CAA',
    setup: ({ zone, records }) => ({
      records: [...records, { name: zone, type: 'CAA', value }],
    }),
  };
}
