import type { ServerFault } from '../name-server/faults.ts';
import type { Scenario } from './scenario.ts';

/** Mistakes of name servers, and in chains of names. */
export const SERVER_SCENARIOS: readonly Scenario[] = [
  serverFault('servfail', 'SERVFAIL', 'servfail', 'since the name servers fail at the name.'),
  serverFault('timeout', 'No response', 'drop', 'after some seconds, since nobody answers.'),
  serverFault('refused', 'REFUSED', 'refused', 'since the name servers refuse to answer.'),
  {
    id: 'disagree',
    title: 'Two name servers that disagree',
    verdict: 'dns_error',
    expect: 'since ns1 has the right record, and ns2 has none yet.',
    area: 'Name servers',
    setup: ({ records }) => ({ records, recordsOfSecond: [] }),
  },
  {
    id: 'loop',
    title: 'A CNAME that leads back to itself',
    verdict: 'dns_error',
    expect: 'since the two names go round in a circle.',
    area: 'Name servers',
    only: 'subdomain',
    setup: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `loop.${zone}` },
        { name: `loop.${zone}`, type: 'CNAME', value: hostname },
      ],
    }),
  },
  {
    id: 'dead-end',
    title: 'A chain of CNAMEs that ends nowhere',
    verdict: 'dns_error',
    expect: 'with the name that does not exist.',
    area: 'Name servers',
    only: 'subdomain',
    setup: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `next.${zone}` },
        { name: `next.${zone}`, type: 'CNAME', value: `gone.${zone}` },
      ],
    }),
  },
];

function serverFault(id: string, title: string, how: ServerFault, expect: string): Scenario {
  return {
    id,
    title,
    verdict: 'dns_error',
    expect,
    area: 'Name servers',
    setup: ({ hostname, records }) => ({
      records,
      faults: [{ to: 'everyone', how, scope: { name: hostname } }],
    }),
  };
}
