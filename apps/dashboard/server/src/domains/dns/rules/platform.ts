import { type Rule, verdictOf } from './facts.ts';

/** The claim's host has an address; without one nothing that leads there is of use, nor can be judged. */
export const platformResolves: Rule = (facts) => {
  const { view, expectation, main, addresses, isApex } = facts;
  if (view.target.addresses.length > 0) return undefined;
  const { hostname, target } = expectation;
  const found = view.target.failure
    ? `${target}: ${view.target.failure.toUpperCase()}`
    : `${target} has no address`;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    message:
      isApex && addresses.length > 0
        ? `${target} has no address in the DNS, so that those of ${hostname} cannot be compared with it.`
        : `The record of ${hostname} is right, but ${target}, where it leads, has no address in the DNS.`,
    expected: `an address of ${main.value}`,
    found,
    remedy: `You need not change anything at ${hostname}: whoever runs this dashboard has to mend ${target}.`,
  });
};
