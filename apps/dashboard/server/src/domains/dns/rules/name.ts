import type { View } from '../observation.ts';
import { differenceInWords, duration, line, lines, someRecords } from '../words.ts';
import { type Rule, verdictOf } from './facts.ts';
import { isFailureKind, unanswered } from './lookup-failures.ts';
import { type TargetNearMiss, targetNearMiss } from './near-miss.ts';

/** There is no CNAME at the apex, where the SOA and NS records are (RFC 1912, section 2.4). */
export const noCnameAtApex: Rule = (facts) => {
  const { isApex, cname, main, missingProof, zone } = facts;
  if (!isApex || !cname) return undefined;
  return verdictOf(facts, {
    code: 'apex_cname',
    reason: 'apex_cname',
    message: `${zone} has a CNAME record, which the domain's own name must not have: it hides all other records there, those for mail too.`,
    found: line(cname),
    remove: [cname],
    add: [main, ...missingProof],
    hint: 'Some DNS providers call an ALIAS record ANAME, or CNAME flattening.',
    retryAfterSeconds: cname.ttl,
  });
};

const PROXY_HINT =
  'If the CNAME record is there and the DNS provider returns addresses instead (a proxy, CNAME flattening), switch that off for this name.';

/** A name with a CNAME has no other records (RFC 1034, section 3.6.2). */
export const noConflict: Rule = (facts) => {
  const { isApex, conflicting, cname, isAlias, main, missingProof, expectation } = facts;
  if (isApex || conflicting.length === 0) return undefined;
  const { hostname } = expectation;
  const conflict = someRecords(conflicting);
  const wrongCname = cname && !isAlias ? [cname] : [];
  return verdictOf(facts, {
    code: 'conflicting_record',
    reason: cname ? 'beside_cname' : 'instead_of_cname',
    message: cname
      ? `${hostname} has ${conflict} beside its CNAME record, so that some visitors are led elsewhere.`
      : `${hostname} has ${conflict} where its CNAME record has to be; there cannot be both.`,
    expected: line(main),
    found: lines([...(cname ? [cname] : []), ...conflicting]),
    remove: [...wrongCname, ...conflicting],
    add: isAlias ? missingProof : [main, ...missingProof],
    ...(cname ? {} : { hint: PROXY_HINT }),
    retryAfterSeconds: Math.max(...conflicting.map(({ ttl }) => ttl)),
  });
};

/** The verdict for each kind of near miss: a mistyped value, or the value of something else. */
const NEAR_MISSES: Readonly<
  Record<
    TargetNearMiss,
    {
      code: 'near_miss' | 'wrong_target';
      words: string | ((value: string, target: string) => string);
    }
  >
> = {
  zone_appended: {
    code: 'near_miss',
    words:
      'has almost the right value: the DNS panel added the name of the domain to it. Enter the value with a dot at its end, and the panel leaves it as it is',
  },
  target_typo: {
    code: 'near_miss',
    words: (value, target) => `has almost the right value: ${differenceInWords(value, target)}`,
  },
  bare_platform_host: {
    code: 'wrong_target',
    words: (value, target) =>
      `leads to ${value}, but must lead to ${target}: the first part of that is this domain’s own`,
  },
  other_claim: {
    code: 'wrong_target',
    words:
      'leads to another host of this platform. Each domain has one of its own, which nobody else can take over',
  },
};

/** The CNAME record's value is almost the right one, or right for another domain. */
export const noNearMiss: Rule = (facts) => {
  const { view, expectation, cname, isAlias, main, missingProof } = facts;
  if (isAlias || !cname) return undefined;
  for (const hop of view.chain.hops) {
    const near = targetNearMiss(hop.value, expectation);
    if (near === undefined) continue;
    const { code, words } = NEAR_MISSES[near];
    return verdictOf(facts, {
      code,
      reason: near,
      message: `The CNAME record of ${hop.name} ${typeof words === 'string' ? words : words(hop.value, expectation.target)}.`,
      found: lines(view.chain.hops),
      remove: [cname],
      add: [main, ...missingProof],
      retryAfterSeconds: cname.ttl,
    });
  }
  return undefined;
};

/** The CNAME chain leads to the claim's target. */
export const leadsHere: Rule = (facts) => {
  const { view, expectation, cname, isAlias, main, missingProof } = facts;
  if (isAlias || !cname) return undefined;
  const { hostname } = expectation;
  const { hops, end } = view.chain;
  const parts = {
    found: lines(hops),
    remove: [cname],
    add: [main, ...missingProof],
    retryAfterSeconds: cname.ttl,
  };
  if (end === 'loop') {
    return verdictOf(facts, {
      ...parts,
      code: 'dns_error',
      reason: 'cname_loop',
      message: `The CNAME records from ${hostname} on form a loop.`,
    });
  }
  // A single CNAME with another target is wrong, whatever that target has. In a chain any CNAME may be the wrong one.
  const isDirect = hops.length === 1;
  if (isFailureKind(end) && !isDirect) {
    const last = hops.at(-1)?.value ?? hostname;
    const { message } = unanswered(facts, last, 'CNAME', end);
    const text = `${hostname} is an alias of ${last}, which cannot be looked up. ${message}`;
    return verdictOf(facts, { ...parts, code: 'dns_error', reason: 'chain_broken', message: text });
  }
  if (end === 'nothing' && !isDirect) {
    return verdictOf(facts, {
      ...parts,
      code: 'dns_error',
      reason: 'chain_ends_nowhere',
      message: `The CNAME record of ${hostname} points to ${hops.at(-1)?.value}, which does not exist or has no address.`,
    });
  }
  return verdictOf(facts, {
    ...parts,
    code: 'wrong_target',
    reason: 'wrong_target',
    message: `The CNAME record of ${hostname} points somewhere else: to ${cname.value}${behind(end)}.`,
  });
};

/** What is wrong with the target itself, as the end of a sentence. */
function behind(end: View['chain']['end']): string {
  if (end === 'nothing') return ', which does not exist or has no address';
  return isFailureKind(end) ? ', which cannot be looked up' : '';
}

/** There is a record at the name. */
export const hasRecord: Rule = (facts) => {
  const { view, expectation, isApex, isWildcard, main, missingProof, cname, addresses } = facts;
  if (cname || (isApex && addresses.length > 0)) return undefined;
  const { hostname } = expectation;
  const nothing = isApex
    ? `${hostname} has no address yet: there is no ALIAS or ANAME record, or it leads nowhere.`
    : `There is no CNAME record at ${hostname} yet.`;
  const wait = view.negativeTtl;
  const still = wait
    ? `: resolvers that asked before cache "no record" for up to ${duration(wait)}`
    : '';
  return verdictOf(facts, {
    code: 'no_record',
    reason: isWildcard ? 'wildcard' : 'no_record',
    message: isWildcard
      ? `${hostname} has no record of its own, only those of a wildcard record, which leads elsewhere.`
      : nothing,
    found: isWildcard ? lines(view.wildcard) : 'no record',
    add: [main, ...missingProof],
    hint: `A new record can take up to 48 hours to be seen everywhere${still}.`,
    retryAfterSeconds: wait,
  });
};

/** The record is not at another name by mistake. */
export const notMisplaced: Rule = (facts) => {
  const { view, expectation, cname, isApex, addresses, main, missingProof, zone } = facts;
  if (cname || (isApex && addresses.length > 0)) return undefined;
  const { hostname, target } = expectation;
  const misplaced = view.elsewhere.find(({ type, value }) =>
    isApex
      ? type === 'A' && view.target.addresses.includes(value)
      : type === 'CNAME' && (value === target || value.startsWith(`${target}.`)),
  );
  if (!misplaced) return undefined;
  const isDoubled = misplaced.name === `${hostname}.${zone}`;
  // Resolvers show only the addresses of an ALIAS.
  const wrong = isApex ? { ...main, name: misplaced.name } : misplaced;
  return verdictOf(facts, {
    code: 'near_miss',
    reason: isDoubled ? 'doubled_zone' : 'wrong_name',
    message: `The record is at ${misplaced.name} and not at ${hostname}${isDoubled ? ': that name contains the domain twice' : ''}.`,
    found: line(wrong),
    remove: [wrong],
    add: [main, ...missingProof],
    retryAfterSeconds: view.negativeTtl,
  });
};
