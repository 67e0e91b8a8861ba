import type { ResourceRecord } from '../outcome.ts';
import { differenceInWords, FAILURE_WORDS, failureCode, line, lines } from '../words.ts';
import { hasChallengeRecord } from './challenge.ts';
import { type Facts, type Rule, verdictOf } from './facts.ts';
import { unanswered } from './lookup-failures.ts';
import { type ProofNearMiss, proofNearMiss, unquoted } from './near-miss.ts';

/** All addresses of an apex are the platform's. Resolvers do not show an ALIAS, only its addresses. */
export const apexAddressesAreOurs: Rule = (facts) => {
  const { isApex, view, addresses, main, missingProof, expectation } = facts;
  if (!isApex) return undefined;
  const ours = view.target.addresses;
  const foreign = addresses.filter(
    (address) => !ours.includes(address.value) && canBeCompared(facts, address),
  );
  if (foreign.length === 0) return undefined;
  const isMixed = foreign.length < addresses.length;
  return verdictOf(facts, {
    code: 'apex_wrong_address',
    reason: isMixed ? 'some_addresses' : 'all_addresses',
    message: `${expectation.hostname} leads to ${isMixed ? 'other addresses besides those' : 'addresses other than those'} of ${main.value}.`,
    found: lines(addresses),
    remove: foreign,
    add: [main, ...missingProof],
    hint: 'If an ALIAS or ANAME record, a redirect or a proxy of the DNS provider gives the wrong addresses, change that one.',
    retryAfterSeconds: Math.max(...foreign.map(({ ttl }) => ttl)),
  });
};

/** Whether the target's addresses of the same family are known. */
export function canBeCompared({ view }: Facts, { type }: Pick<ResourceRecord, 'type'>): boolean {
  const { addresses, failure } = view.target;
  return !failure || addresses.some((value) => value.includes(':') === (type === 'AAAA'));
}

/** An apex has no address of a family in which the target's could not be looked up. */
export const apexAddressesAreKnown: Rule = (facts) => {
  const { isApex, view, addresses, main, expectation } = facts;
  const { failure } = view.target;
  const unknown = addresses.find((address) => !canBeCompared(facts, address));
  if (!isApex || !failure || !unknown) return undefined;
  const { hostname, target } = expectation;
  const { type } = unknown;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    message: `The query for the ${type} record of ${target} ${FAILURE_WORDS[failure]}, so that the address of ${hostname} cannot be compared with it.`,
    expected: `an answer for the ${type} record of ${main.value}`,
    found: `${view.label}: ${target} ${type} ${failureCode(failure)}`,
    remedy: platformRemedy(facts),
  });
};

/** The claim's target has an address. Without one, records that lead to it are useless and cannot be judged. */
export const platformResolves: Rule = (facts) => {
  const { view, expectation, main, isApex } = facts;
  if (view.target.addresses.length > 0) return undefined;
  const { hostname, target } = expectation;
  const found = view.target.failure
    ? `${target}: ${failureCode(view.target.failure)}`
    : `${target} has no address`;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    // An apex without an address is told of by an earlier rule.
    message: isApex
      ? `${target} has no address in the DNS, so that those of ${hostname} cannot be compared with it.`
      : `The record of ${hostname} is right, but ${target}, where it leads, has no address in the DNS.`,
    expected: `an address of ${main.value}`,
    found,
    remedy: platformRemedy(facts),
  });
};

function platformRemedy({ expectation: { hostname, target } }: Facts): string {
  return `You need not change anything at ${hostname}: the operator of this dashboard has to correct ${target}.`;
}

const NEAR_WORDS: Readonly<Record<ProofNearMiss, (text: string, proof: string) => string>> = {
  proof_quoted: () => 'there are quotes or spaces around it that do not belong to it',
  proof_typo: (text, proof) => differenceInWords(unquoted(text), proof),
};

/**
 * The TXT record that proves ownership is there; other TXT records may be there, too. Where the name is prepared for a
 * move, the record of its challenges is as good, and the one to create.
 */
export const isProven: Rule = (facts) => {
  const { view, expectation, missingProof, zone } = facts;
  const { proof } = expectation;
  if (missingProof.length === 0 || !proof || !view.proof) return undefined;
  if (facts.challengeRecord) return hasChallengeRecord(facts);
  const { values, alias, failure } = view.proof;
  if (failure && !alias) return unanswered(facts, proof.name, 'TXT', failure);
  const texts = values.map((value) => ({ type: 'TXT', name: proof.name, value }));
  // A name with a CNAME cannot have a TXT record.
  const parts = { add: missingProof, remove: alias ? [alias] : [] };
  for (const text of texts) {
    const near = proofNearMiss(text.value, proof.value);
    if (near === undefined) continue;
    return verdictOf(facts, {
      ...parts,
      code: 'near_miss',
      reason: near,
      message: `The TXT record of ${proof.name} has almost the right value: ${NEAR_WORDS[near](text.value, proof.value)}.`,
      found: line(text),
    });
  }
  const misplaced = view.elsewhere.find(
    ({ type, value }) =>
      type === 'TXT' &&
      (value === proof.value || proofNearMiss(value, proof.value) === 'proof_quoted'),
  );
  if (misplaced) {
    const isDoubled = misplaced.name === `${proof.name}.${zone}`;
    return verdictOf(facts, {
      add: missingProof,
      remove: [...parts.remove, misplaced],
      code: 'near_miss',
      reason: isDoubled ? 'proof_doubled_zone' : 'proof_wrong_name',
      message: `The TXT record is at ${misplaced.name} and not at ${proof.name}${isDoubled ? ': that name contains the domain twice' : ''}.`,
      found: line(misplaced),
    });
  }
  return verdictOf(facts, {
    ...parts,
    code: 'ownership_missing',
    reason: texts.length > 0 ? 'wrong_value' : 'no_record',
    message:
      texts.length > 0
        ? `The TXT record of ${proof.name}, which is to prove that the domain is yours, has another value.`
        : `There is no TXT record at ${proof.name}: it would prove that the domain is yours.`,
    found: texts.length > 0 ? lines(texts) : 'no record',
  });
};
