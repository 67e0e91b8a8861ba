import { lines } from '../words.ts';
import { type Rule, verdictOf } from './facts.ts';

/** All addresses of an apex are the platform's. Resolvers do not show an ALIAS, only its addresses. */
export const apexAddressesAreOurs: Rule = (facts) => {
  const { isApex, view, addresses, main, missingProof, expectation } = facts;
  if (!isApex || addresses.length === 0) return undefined;
  const ours = view.target.addresses;
  const foreign = addresses.filter(({ value }) => !ours.includes(value));
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

/** The claim's target has an address. Without one, records that lead to it are useless and cannot be judged. */
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
    remedy: `You need not change anything at ${hostname}: the operator of this dashboard has to correct ${target}.`,
  });
};
