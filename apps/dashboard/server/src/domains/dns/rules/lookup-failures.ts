import type { Verdict } from '../../verdict.ts';
import { type Failure, isFailure, type RecordType } from '../outcome.ts';
import { FAILURE_WORDS, failureCode } from '../words.ts';
import { brokenChain } from './dnssec.ts';
import { type Facts, type Rule, verdictOf } from './facts.ts';

/** The name itself can be looked up: its CNAME, or its addresses where it has none. */
export const canBeLookedUp: Rule = (facts) => {
  const { view, expectation, cname } = facts;
  const { hostname } = expectation;
  // With a CNAME, a query for addresses is answered with those of its target, for which there is a later rule.
  if (cname) return undefined;
  if (isFailureKind(view.chain.end)) return unanswered(facts, hostname, 'CNAME', view.chain.end);
  for (const type of ['A', 'AAAA'] as const) {
    const outcome = view.own[type];
    if (isFailure(outcome)) return unanswered(facts, hostname, type, outcome.kind);
  }
  return undefined;
};

/** The verdict on a query without an answer. */
export function unanswered(
  facts: Facts,
  name: string,
  type: RecordType,
  failure: Failure,
): Verdict {
  if (failure === 'dnssec_bogus') return brokenChain(facts, name, type);
  const { view } = facts;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: failure,
    message: `The query for the ${type} record of ${name} ${FAILURE_WORDS[failure]}.`,
    found: `${view.label}: ${name} ${type} ${failureCode(failure)}`,
    remedy: REMEDIES[failure](facts),
  });
}

type Zone = Pick<Facts, 'zone' | 'isApex'>;

const REMEDIES: Readonly<Record<Exclude<Failure, 'dnssec_bogus'>, (of: Zone) => string>> = {
  servfail: ({ zone, isApex }) =>
    `The name servers of ${zone} cannot answer, or resolvers reject their answers. If the domain is signed with DNSSEC, compare the DS record at the registrar with the keys of the zone: after a change of the DNS provider an old DS record has to be removed. Otherwise ask whoever runs the name servers of ${zone}${isApex ? '; an ALIAS or ANAME record whose target does not exist gives this error too' : ''}.`,
  refused: ({ zone }) =>
    `A name server refuses to answer for ${zone}: most often the domain is delegated to servers that do not hold its zone. At the registrar, compare the name servers of ${zone} with those that the DNS provider names.`,
  timeout: ({ zone }) =>
    `The name servers of ${zone} did not answer. Check again in a few minutes; if that does not help, ask whoever runs them whether they can be reached, over UDP and TCP.`,
  malformed: ({ zone }) =>
    `A name server of ${zone} sends answers that cannot be read. Ask whoever runs the name servers of ${zone}; something between them and the Internet may change the answers.`,
};

const FAILURES: readonly string[] = Object.keys(FAILURE_WORDS);

export function isFailureKind(word: string): word is Failure {
  return FAILURES.includes(word);
}
