import { lines } from '../words.ts';
import { type Rule, verdictOf } from './facts.ts';

/** The addresses of a zone's own name are all the platform's. An ALIAS is not seen, only what it results in. */
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
