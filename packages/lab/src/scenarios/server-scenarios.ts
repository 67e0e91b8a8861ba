import type { Misbehaviour } from '../name-server/misbehaviour.ts';
import type { Scenario } from './scenario.ts';

/** What can be wrong with name servers, and with chains of names. */
export const SERVER_SCENARIOS: readonly Scenario[] = [
  misbehaving('servfail', 'SERVFAIL', 'servfail', 'dns_error: the name servers fail at the name.'),
  misbehaving('timeout', 'No answer', 'drop', 'dns_error, after some seconds: nobody answers.'),
  misbehaving('refused', 'REFUSED', 'refused', 'dns_error: the name servers refuse to answer.'),
  {
    id: 'disagree',
    title: 'Two name servers that disagree',
    expect: 'dns_error: ns1 has the right record, ns2 has none yet.',
    area: 'Name servers',
    situation: ({ records }) => ({ records, recordsOfSecond: [] }),
  },
  {
    id: 'loop',
    title: 'A CNAME that leads back to itself',
    expect: 'dns_error: the two names go round in a circle.',
    area: 'Name servers',
    only: 'subdomain',
    situation: ({ hostname, zone }) => ({
      records: [
        { name: hostname, type: 'CNAME', value: `loop.${zone}` },
        { name: `loop.${zone}`, type: 'CNAME', value: hostname },
      ],
    }),
  },
  {
    id: 'dead-end',
    title: 'A CNAME to a name that does not exist',
    expect: 'The verdict names the target that does not exist.',
    area: 'Name servers',
    only: 'subdomain',
    situation: ({ hostname, zone }) => ({
      records: [{ name: hostname, type: 'CNAME', value: `gone.${zone}` }],
    }),
  },
];

function misbehaving(id: string, title: string, how: Misbehaviour, expect: string): Scenario {
  return {
    id,
    title,
    expect,
    area: 'Name servers',
    situation: ({ hostname, records }) => ({
      records,
      wrongs: [{ to: 'everyone', how, scope: { name: hostname } }],
    }),
  };
}
