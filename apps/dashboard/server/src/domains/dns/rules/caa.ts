import { zoneOf } from '../../hostname.ts';
import type { Verdict } from '../../verdict.ts';
import { allowingLine, type CaaBlock, caaBlock } from '../caa-records.ts';
import { dnsRecord } from '../expectation.ts';
import type { Failure, ResourceRecord } from '../outcome.ts';
import { FAILURE_WORDS, lines, listed, printable } from '../words.ts';
import { type Facts, type Rule, verdictOf } from './facts.ts';
import { unanswered } from './lookup-failures.ts';

/** The CAA records allow the authority, which looks them up before it issues. */
export const caaAllows: Rule = (facts) => {
  const { view, expectation } = facts;
  const { hostname, target, authority } = expectation;
  if ('failure' in view.caa) {
    const { name, failure } = view.caa;
    if (name === target) return unansweredAtTarget(facts, failure);
    // An authority must not issue where it gets no answer (RFC 8659, section 3).
    return unanswered(facts, name, 'CAA', failure);
  }
  const { records } = view.caa;
  const values = records.map(({ value }) => value);
  const block = caaBlock(values, authority);
  const owner = records[0]?.name;
  if (!block || owner === undefined) return undefined;
  const said = sentence(block, records, owner, authority.identities);
  if (owner === target) {
    return verdictOf(facts, {
      code: 'caa_blocks',
      reason: 'platform',
      message: `${said} That name is the platform's.`,
      found: lines(records),
      remedy: `You need not change anything at ${hostname}: the operator of this dashboard has to correct the CAA records of ${target}.`,
    });
  }
  const isCritical = block.why === 'unknown_critical';
  const allowing = dnsRecord('CAA', owner, allowingLine(values, authority));
  return verdictOf(facts, {
    code: 'caa_blocks',
    reason: block.why,
    message: owner === hostname ? said : `${said} They apply to ${hostname} as well.`,
    expected: isCritical
      ? `no critical property that is unknown, at ${owner}`
      : `${owner} CAA ${allowing.value}`,
    found: lines(records),
    add: isCritical ? [] : [allowing],
    remove: isCritical ? block.indices.flatMap((index) => records[index] ?? []) : [],
    ...(isCritical && !isAtOrAbove(owner, hostname) && { hint: wildcardHint(owner) }),
  });
};

/** A wildcard does not apply at or above a name that exists. */
function isAtOrAbove(owner: string, hostname: string): boolean {
  return `.${hostname}`.endsWith(`.${owner}`);
}

/**
 * A CNAME may lead to a name whose records are those of a wildcard, of the closest one above it (RFC 4592): answers do
 * not show that.
 */
function wildcardHint(owner: string): string {
  const zone = zoneOf(owner);
  const [, ...above] = owner.slice(0, -zone.length).split('.');
  const closest = `*.${[...above.slice(0, -1), zone].join('.')}`;
  const furthest = `*.${zone}`;
  if (closest === furthest) {
    return `If ${owner} has no such record of its own, remove that of ${closest}, which answers for it.`;
  }
  return `If ${owner} has no such record of its own, the closest wildcard above it answers for it, one from ${closest} to ${furthest}: remove the record of that one.`;
}

/** The customer's records are right: the platform's own name cannot be looked up. */
function unansweredAtTarget(facts: Facts, failure: Failure): Verdict {
  const { hostname, target } = facts.expectation;
  return verdictOf(facts, {
    code: 'dns_error',
    reason: 'platform_unresolved',
    message: `The record of ${hostname} is right, but the query for the CAA record of ${target}, where it leads, ${FAILURE_WORDS[failure]}. That name is the platform's.`,
    expected: `an answer for the CAA record of ${target}`,
    found: `${facts.view.label}: ${target} CAA ${failure.toUpperCase()}`,
    remedy: `You need not change anything at ${hostname}: the operator of this dashboard has to correct ${target}.`,
  });
}

function sentence(
  block: CaaBlock,
  records: readonly ResourceRecord[],
  owner: string,
  identities: readonly string[],
): string {
  const who = listed(identities.slice(0, 1));
  switch (block.why) {
    case 'issuer':
      return `The CAA records of ${owner} do not allow ${who} to issue certificates.`;
    case 'accounturi':
      return `The CAA records of ${owner} allow ${who} to issue certificates for another account alone.`;
    case 'validationmethods':
      return `The CAA records of ${owner} allow ${who} to issue certificates only by validation methods that are not used here.`;
    case 'unknown_critical': {
      const named = block.indices.map((index) => records[index]?.value ?? '').join(', ');
      return `The CAA records of ${owner} have a critical property that no authority understands (${printable(named)}), so that none may issue certificates.`;
    }
  }
}
