import type { Verdict } from '../../verdict.ts';
import { differenceInWords, failureCode, line, lines, someRecords } from '../words.ts';
import { type Facts, type Rule, verdictOf } from './facts.ts';
import { canBeLookedUp, isFailureKind, unanswered } from './lookup-failures.ts';
import { type TargetNearMiss, targetNearMiss } from './near-miss.ts';

// A name that is prepared for a move has a CNAME record at `_acme-challenge.` and the name, which leads to the claim's
// own name in the installation's zone.

/** What the record's value is, where it is almost right, or right for another record. */
const NEAR_MISSES: Readonly<
  Record<
    TargetNearMiss,
    {
      code: 'near_miss' | 'wrong_target';
      reason: string;
      words: (value: string, wanted: string) => string;
    }
  >
> = {
  zone_appended: {
    code: 'near_miss',
    reason: 'challenge_zone_appended',
    words: () =>
      'has almost the right value: the DNS panel added the name of the domain to it. Enter the value with a dot at its end, and the panel leaves it as it is',
  },
  target_typo: {
    code: 'near_miss',
    reason: 'challenge_typo',
    words: (value, wanted) => `has almost the right value: ${differenceInWords(value, wanted)}`,
  },
  bare_platform_host: {
    code: 'wrong_target',
    reason: 'challenge_wrong_target',
    words: (value, wanted) =>
      `leads to ${value}, but must lead to ${wanted}: the first part of that is this domain’s own`,
  },
  other_claim: {
    code: 'wrong_target',
    reason: 'challenge_other_claim',
    words: () =>
      'leads to the challenges of another domain, or of an earlier claim. Each domain has a name of its own for them',
  },
};

/** The CNAME record of the name's challenges leads to the claim's own name in the installation's zone. */
export const hasChallengeRecord: Rule = (facts) => {
  const { view, expectation, isChallengeRight, challengeRecord } = facts;
  const { challenge, target } = expectation;
  if (!challenge || !challengeRecord || !view.challenge || isChallengeRight) return undefined;
  const { chain, texts, elsewhere, negativeTtl, isWildcard } = view.challenge;
  const [cname] = chain.hops;
  if (isFailureKind(chain.end) && !cname) {
    return unanswered(facts, challenge.name, 'CNAME', chain.end);
  }
  const add = [challengeRecord];
  if (cname && !isWildcard) {
    const parts = { found: lines(chain.hops), remove: [cname], add, retryAfterSeconds: cname.ttl };
    if (cname.value === target) {
      return verdictOf(facts, {
        ...parts,
        code: 'wrong_target',
        reason: 'challenge_main_target',
        message: `The CNAME record of ${cname.name} has the value of the other record: ${target} is where ${expectation.hostname} itself is to lead.`,
      });
    }
    const near = targetNearMiss(cname.value, { target: challenge.value });
    const miss = near && NEAR_MISSES[near];
    return verdictOf(facts, {
      ...parts,
      code: miss?.code ?? 'wrong_target',
      reason: miss?.reason ?? 'challenge_wrong_target',
      message: `The CNAME record of ${cname.name} ${miss?.words(cname.value, challenge.value) ?? `points somewhere else: to ${cname.value}`}.`,
      ...(!miss && {
        hint: 'If the old host renews its certificate by the old record, it can no longer do so: move before that certificate expires.',
      }),
    });
  }
  if (texts.length > 0) {
    return verdictOf(facts, {
      code: 'conflicting_record',
      reason: 'challenge_conflict',
      message: `${challenge.name} has ${someRecords(texts)} where a CNAME record has to be; there cannot be both.`,
      found: lines(texts),
      remove: texts,
      add,
      hint: 'Most often such a record is left over from an earlier certificate.',
      retryAfterSeconds: Math.max(...texts.map(({ ttl }) => ttl)),
    });
  }
  const misplaced = elsewhere[0];
  if (misplaced) {
    const isDoubled = misplaced.name === `${challenge.name}.${facts.zone}`;
    return verdictOf(facts, {
      code: 'near_miss',
      reason: isDoubled ? 'challenge_doubled_zone' : 'challenge_wrong_name',
      message: `The record is at ${misplaced.name} and not at ${challenge.name}${isDoubled ? ': that name contains the domain twice' : ''}.`,
      found: line(misplaced),
      remove: [misplaced],
      add,
      retryAfterSeconds: negativeTtl,
    });
  }
  return verdictOf(facts, {
    code: 'no_record',
    reason: 'challenge_missing',
    message: `There is no CNAME record at ${challenge.name} yet. That record proves that the domain is yours, and brings the certificate.`,
    found: 'no record',
    add,
    ...(!challenge.isForWildcard && {
      hint: 'The record of the name itself stays as it is for now.',
    }),
    retryAfterSeconds: negativeTtl,
  });
};

/** The verdict on a name whose challenge record is right, and whose address record leads elsewhere, as it should. */
export function preparedVerdict(facts: Facts): Verdict {
  const { view, expectation, challengeRecord, cname, addresses } = facts;
  const { hostname } = expectation;
  const now = cname ? [cname] : addresses;
  const where = now[0]
    ? `Its address record still leads elsewhere (${lines(now)}), which is right until you move it.`
    : canBeLookedUp(facts)
      ? 'Its address record could not be looked up.'
      : 'It has no address record yet.';
  return verdictOf(facts, {
    code: 'verified',
    reason: 'prepared',
    message: `${hostname} is prepared: its _acme-challenge record is right. ${where}`,
    expected: challengeRecord ? line(challengeRecord) : '',
    found: lines(view.challenge?.chain.hops ?? []),
    remedy: '',
  });
}

/** A name that is to be moved here has somewhere to lead to. */
export const targetIsThere: Rule = (facts) => {
  const { view, expectation } = facts;
  const { target, hostname } = expectation;
  if (view.target.addresses.length > 0) return undefined;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    message: `The _acme-challenge record is right, but ${target}, where ${hostname} is to lead, has no address in the DNS.`,
    expected: `an address of ${target}`,
    found: view.target.failure
      ? `${target}: ${failureCode(view.target.failure)}`
      : `${target} has no address`,
    remedy: `Do not move ${hostname} yet: the operator of this dashboard has to correct ${target}.`,
  });
};
