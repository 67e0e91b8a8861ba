import { line } from '../words.ts';
import { type Rule, verdictOf } from './facts.ts';

/** The record is not at another name, where it was meant to be at this one. */
export const notElsewhere: Rule = (facts) => {
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
  // Of an ALIAS only the addresses are seen.
  const wrong = isApex ? { ...main, name: misplaced.name } : misplaced;
  return verdictOf(facts, {
    code: 'near_miss',
    reason: isDoubled ? 'doubled_zone' : 'wrong_name',
    message: `The record stands at ${misplaced.name} and not at ${hostname}${isDoubled ? ': the name of the domain is in it twice' : ''}.`,
    found: line(wrong),
    remove: [wrong],
    add: [main, ...missingProof],
    retryAfterSeconds: view.negativeTtl,
  });
};
