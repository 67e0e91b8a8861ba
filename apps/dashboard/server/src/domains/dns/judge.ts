import type { DnsCheck, Expectation } from './check-dns.ts';
import type { View } from './observation.ts';
import { apexAddressesAreOurs } from './rules/apex.ts';
import { caaAllows } from './rules/caa.ts';
import { type Facts, factsOf, type Rule } from './rules/facts.ts';
import { isThere, leadsHere, noCnameAtApex, noConflict, noNearTarget } from './rules/name.ts';
import { notElsewhere } from './rules/near-place.ts';
import { platformResolves } from './rules/platform.ts';
import { isProven } from './rules/proof.ts';
import { isReadable } from './rules/readable.ts';
import { lines } from './words.ts';

/**
 * In this order, and the first that has something to say decides. What stands in the way of a record
 * comes before the record itself, so that one remedy is not undone by the next; a slip before the
 * general case, since it says more; the platform's own part and CAA come last, as they only
 * matter once the name leads here.
 */
const RULES: readonly Rule[] = [
  isReadable,
  noCnameAtApex,
  noConflict,
  noNearTarget,
  leadsHere,
  notElsewhere,
  isThere,
  // For an apex the addresses of the claim's host are what its own are compared with.
  (facts) => (facts.isApex ? platformResolves(facts) : undefined),
  apexAddressesAreOurs,
  isProven,
  platformResolves,
  caaAllows,
];

/** The verdict on what one server has. */
export function judge(view: View, expectation: Expectation): DnsCheck {
  const facts = factsOf(view, expectation);
  const pointsHere = pointsHereBy(facts);
  for (const rule of RULES) {
    const verdict = rule(facts);
    if (verdict) return { verdict, pointsHere };
  }
  const { main, cname, addresses } = facts;
  return {
    verdict: {
      code: 'verified',
      reason: 'verified',
      message: `${expectation.hostname} leads here.`,
      expected: lines([main]),
      found: lines(cname ? view.way.hops : addresses),
      remedy: '',
      add: [],
      remove: [],
      retryAfterSeconds: null,
    },
    pointsHere,
  };
}

/** A CNAME says which claim it means; addresses are the same for all, and one of them is enough. */
function pointsHereBy({ view, cname, isAlias, addresses }: Facts): boolean {
  if (cname) return isAlias;
  return addresses.some(({ value }) => view.target.addresses.includes(value));
}
