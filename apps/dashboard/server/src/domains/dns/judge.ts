import type { Verdict } from '../verdict.ts';
import type { Expectation } from './expectation.ts';
import type { Observation, View } from './observation.ts';
import {
  apexAddressesAreKnown,
  apexAddressesAreOurs,
  canBeCompared,
  isProven,
  platformResolves,
} from './rules/addresses.ts';
import { allowedAuthorities, caaAllows } from './rules/caa.ts';
import { hasChallengeRecord, preparedVerdict, targetIsThere } from './rules/challenge.ts';
import { type Facts, factsOf, type Rule } from './rules/facts.ts';
import { canBeLookedUp, isFailureKind } from './rules/lookup-failures.ts';
import {
  hasRecord,
  leadsHere,
  noCnameAtApex,
  noConflict,
  noNearMiss,
  notMisplaced,
} from './rules/name.ts';
import { FAILURE_WORDS, lines } from './words.ts';

/** The result of a DNS check. */
export interface CheckResult {
  readonly verdict: Verdict;
  /**
   * The name's records lead to the claim's target, whatever else is wrong. With the verdict `dns_error`, false only
   * means that no such record was seen.
   */
  readonly pointsHere: boolean;
  /** The record of its challenges leads to the claim's own name; false where none is expected. */
  readonly challengeHere: boolean;
  /** With any verdict: what the name leads to could not be looked up, so that it may lead to the claim's target. */
  readonly isInDoubt?: boolean;
  /** The same of the record of its challenges. */
  readonly isChallengeInDoubt?: boolean;
}

/** No record was seen that leads here, and name servers fail: those of the name, or of what it leads to. */
export function mayLeadHere({ verdict, pointsHere, isInDoubt }: CheckResult): boolean {
  return !pointsHere && (verdict.code === 'dns_error' || isInDoubt === true);
}

/**
 * The first rule with a verdict decides. Records that block another one come before that one, so that no remedy is
 * undone by the next. A near miss comes before the general case, since it says more. The platform's own records come
 * last, and CAA after them: they matter only when the name leads here.
 */
const RULES: readonly Rule[] = [
  canBeLookedUp,
  noCnameAtApex,
  noConflict,
  noNearMiss,
  leadsHere,
  notMisplaced,
  hasRecord,
  // The addresses of an apex are compared with those of the target.
  (facts) => (facts.isApex ? platformResolves(facts) : undefined),
  apexAddressesAreOurs,
  isProven,
  platformResolves,
  apexAddressesAreKnown,
];

/** The retry advice of a verdict where no record is to be changed, and nobody knows how long to wait. */
const NO_RECORDS = { add: [], remove: [], retryAfterSeconds: null };

/** The verdict on the records that one server has. */
function judgeView(view: View, expectation: Expectation): CheckResult {
  const facts = factsOf(view, expectation);
  const pointsHere = pointsHereBy(facts);
  const wrong = firstOf(RULES, facts);
  // A name with which nothing is wrong has moved here.
  const isAwaited = wrong && expectation.challenge?.isAwaitingMove === true;
  // Without that record a wildcard has no certificate, wherever its names lead.
  const missing = expectation.challenge?.isForWildcard ? hasChallengeRecord(facts) : undefined;
  const verdict = isAwaited
    ? judgePreparation(facts, pointsHere, wrong)
    : (missing ?? wrong ?? caaAllows(facts) ?? leadsHereVerdict(facts));
  const authorities = verdict.code === 'verified' ? allowedAuthorities(facts) : undefined;
  return {
    verdict: { ...verdict, ...(authorities && { authorities }) },
    pointsHere,
    challengeHere: facts.isChallengeRight,
    ...(!pointsHere && mayPointHere(facts) && { isInDoubt: true }),
    ...(isFailureKind(view.challenge?.chain.end ?? '') && { isChallengeInDoubt: true }),
  };
}

function firstOf(rules: readonly Rule[], facts: Facts): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(facts);
    if (verdict) return verdict;
  }
  return undefined;
}

/**
 * The verdict on a name that is prepared for a move. Its own record may lead to the old host. `wrong`: what is wrong
 * with it once it is to lead here; that is told where it looks like a move that went astray.
 */
function judgePreparation(facts: Facts, pointsHere: boolean, wrong: Verdict): Verdict {
  const missing = hasChallengeRecord(facts);
  if (missing) return missing;
  const isAstray =
    pointsHere || wrong.code === 'near_miss' || wrong.reason === 'bare_platform_host';
  if (isAstray) return wrong;
  return firstOf([targetIsThere, caaAllows], facts) ?? preparedVerdict(facts);
}

function leadsHereVerdict({
  view,
  expectation,
  main,
  cname,
  addresses,
  challengeRecord,
  isChallengeRight,
}: Facts): Verdict {
  const verdict = {
    code: 'verified',
    reason: 'verified',
    message: `${expectation.hostname} leads here.`,
    expected: lines([main]),
    found: lines(cname ? view.chain.hops : addresses),
    remedy: '',
    ...NO_RECORDS,
  } as const;
  if (!challengeRecord || isChallengeRight) return verdict;
  return {
    ...verdict,
    reason: 'challenge_missing',
    message: `${verdict.message} Its _acme-challenge record is missing or leads elsewhere, so its certificate is renewed over ports 80 and 443.`,
    add: [challengeRecord],
  };
}

/** A CNAME names one claim's target. All targets have the same addresses, and one of those is enough. */
function pointsHereBy({ view, cname, isAlias, addresses }: Facts): boolean {
  if (cname) return isAlias;
  return addresses.some(({ value }) => view.target.addresses.includes(value));
}

/** What a CNAME leads to could not be looked up, or the target's addresses of a family that the name has. */
function mayPointHere(facts: Facts): boolean {
  const { view, cname, addresses } = facts;
  if (cname) return isFailureKind(view.chain.end);
  return addresses.some((address) => !canBeCompared(facts, address));
}

interface Judged extends CheckResult {
  readonly label: string;
  readonly isAuthentic: boolean;
  readonly isBogus: boolean;
}

/**
 * Makes one verdict of those on all servers:
 * - an answer whose DNSSEC signatures are not valid is none, whoever gives it: authorities do not believe it either;
 * - the zone's own servers decide, as far as they answer: a certificate authority asks them, too;
 * - where they disagree, that is the verdict: nobody knows which of them visitors will ask;
 * - where none can be reached, the resolvers decide, and of those the one with the right answer: it has the newest
 *   records, and the others follow.
 */
export function judge(observation: Observation, expectation: Expectation): CheckResult {
  const all = (views: readonly View[]): Judged[] =>
    views.map((view) => ({
      ...judgeView(view, expectation),
      label: view.label,
      isAuthentic: view.isAuthentic,
      isBogus: view.brokenLink !== undefined,
    }));
  const resolvers = all(observation.resolvers);
  const zone = all(observation.zoneServers).filter(isAnswer);
  const [first] = zone;
  const bogus = bogusVerdict(resolvers);
  if (bogus) {
    const seen = [...zone, ...resolvers];
    return {
      verdict: bogus.verdict,
      pointsHere: seen.some((it) => it.pointsHere),
      challengeHere: seen.some((it) => it.challengeHere),
    };
  }
  if (first) return byZone(first, zone, resolvers, expectation);
  return byResolvers(resolvers, expectation);
}

/**
 * One resolver that validates is enough: certificate authorities validate, too. But where another one has validated the
 * answer, the first has an earlier one in its cache.
 */
function bogusVerdict(resolvers: readonly Judged[]): Judged | undefined {
  if (resolvers.some(({ isAuthentic, isBogus }) => isAuthentic && !isBogus)) return undefined;
  return resolvers.find(({ isBogus, verdict }) => isBogus && verdict.code === 'dns_error');
}

function byZone(
  first: Judged,
  zone: readonly Judged[],
  resolvers: readonly Judged[],
  expectation: Expectation,
): CheckResult {
  if (zone.some(({ verdict }) => caseOf(verdict) !== caseOf(first.verdict))) {
    return disagreement(zone, expectation);
  }
  // Resolvers that validate DNSSEC fail where the signatures are wrong, and so do certificate authorities.
  const [failed] = resolvers;
  const isBogus = resolvers.every(({ verdict }) => verdict.reason === 'servfail');
  if (first.verdict.code === 'verified' && failed && isBogus) {
    return { ...first, verdict: failed.verdict };
  }
  return withWait(first, resolvers);
}

function byResolvers(resolvers: readonly Judged[], expectation: Expectation): CheckResult {
  const answers = resolvers.filter(isAnswer);
  const best =
    answers.find(({ verdict, pointsHere }) => verdict.code === 'verified' && pointsHere) ??
    answers.find(({ verdict }) => verdict.code === 'verified') ??
    answers.find(({ pointsHere }) => pointsHere) ??
    answers[0] ??
    resolvers[0];
  return best ? withWait(best, resolvers) : noResolver(expectation);
}

/** Adds how long the resolvers keep a wrong answer, or which of them still have an earlier one. */
function withWait({ label: _, ...best }: Judged, resolvers: readonly Judged[]): CheckResult {
  const { verdict, pointsHere } = best;
  if (verdict.code === 'verified') {
    const isLate = (it: Judged) => it.verdict.code !== 'verified' || (pointsHere && !it.pointsHere);
    const late = resolvers.filter((it) => isAnswer(it) && isLate(it));
    if (late.length === 0) return best;
    const message = `${verdict.message} Some resolvers (${late.map(({ label }) => label).join(', ')}) still give the earlier answer; they follow within 48 hours, mostly sooner.`;
    const reason = verdict.reason === 'verified' ? 'propagating' : verdict.reason;
    return { ...best, verdict: { ...verdict, reason, message } };
  }
  const waits = resolvers
    .filter((it) => caseOf(it.verdict) === caseOf(verdict))
    .flatMap((it) => it.verdict.retryAfterSeconds ?? []);
  if (waits.length === 0) return best;
  return { ...best, verdict: { ...verdict, retryAfterSeconds: Math.max(...waits) } };
}

function disagreement(zone: readonly Judged[], { hostname }: Expectation): CheckResult {
  const right = zone.find(({ verdict }) => verdict.code === 'verified');
  const [first] = zone;
  return {
    verdict: {
      code: 'dns_error',
      reason: 'servers_disagree',
      message: `The name servers of the domain disagree about ${hostname}: ${zone
        .map(({ label, verdict }) => `${label}: ${verdict.message}`)
        .join(' ')}`,
      expected: (right ?? first)?.verdict.expected ?? '',
      found: zone.map(({ label, verdict }) => `${label}: ${verdict.found}`).join('; '),
      remedy: `Wait a few minutes until all of them have the newest version of the domain's records. If they still differ then, ask whoever runs them why some are behind; a name server of an earlier DNS provider has to be removed at the registrar.`,
      ...NO_RECORDS,
    },
    pointsHere: zone.some(({ pointsHere }) => pointsHere),
    challengeHere: zone.some(({ challengeHere }) => challengeHere),
  };
}

/** The system has no resolver, and none is configured. */
function noResolver({ hostname, target }: Expectation): CheckResult {
  return {
    verdict: {
      code: 'dns_error',
      reason: 'no_resolver',
      message: `${hostname} cannot be looked up: this dashboard has no resolver to ask.`,
      expected: `${hostname} leads to ${target}`,
      found: 'nothing was asked',
      remedy: 'The operator of this dashboard has to set DNS_SERVERS to the address of a resolver.',
      ...NO_RECORDS,
    },
    pointsHere: false,
    challengeHere: false,
  };
}

function caseOf({ code, reason }: Verdict): string {
  return `${code} ${reason}`;
}

/** Whether the server answered. One that did not is left out if others did. */
function isAnswer({ verdict }: Judged): boolean {
  return !(verdict.reason in FAILURE_WORDS || verdict.reason.startsWith('dnssec_'));
}
