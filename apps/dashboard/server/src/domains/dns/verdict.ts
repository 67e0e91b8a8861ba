import type { Verdict } from '../verdict.ts';
import type { DnsCheck, Expectation } from './check-dns.ts';
import { judge } from './judge.ts';
import type { Observation, View } from './observation.ts';
import { FAILURE_WORDS } from './words.ts';

interface Judged extends DnsCheck {
  readonly label: string;
}

/**
 * What everything that was seen comes to:
 * - the zone's own servers decide, as far as they answer: an authority asks them too;
 * - where they say different things, that is the verdict: nobody can know whom visitors will ask;
 * - where they are out of reach, the resolvers decide, and of those the one that has the right
 *   answer: it has the newest, and the others follow.
 */
export function verdict(observation: Observation, expectation: Expectation): DnsCheck {
  const all = (views: readonly View[]): Judged[] =>
    views.map((view) => ({ ...judge(view, expectation), label: view.label }));
  const resolvers = all(observation.resolvers);
  const zone = all(observation.zoneServers).filter(isAnswer);
  const [first] = zone;
  if (first) return byZone(first, zone, resolvers, expectation);
  return byResolvers(resolvers, expectation);
}

function byZone(
  first: Judged,
  zone: readonly Judged[],
  resolvers: readonly Judged[],
  expectation: Expectation,
): DnsCheck {
  if (zone.some(({ verdict }) => caseOf(verdict) !== caseOf(first.verdict))) {
    return disagreement(zone, expectation);
  }
  // Resolvers that check signatures fail where those are wrong, and so do authorities (DNSSEC).
  const [failed] = resolvers;
  const isBogus = resolvers.every(({ verdict }) => verdict.reason === 'servfail');
  if (first.verdict.code === 'verified' && failed && isBogus) {
    return { verdict: failed.verdict, pointsHere: first.pointsHere };
  }
  return withWait(first, resolvers);
}

function byResolvers(resolvers: readonly Judged[], expectation: Expectation): DnsCheck {
  const answers = resolvers.filter(isAnswer);
  const best =
    answers.find(({ verdict }) => verdict.code === 'verified') ??
    answers.find(({ pointsHere }) => pointsHere) ??
    answers[0] ??
    resolvers[0];
  return best ? withWait(best, resolvers) : nobodyToAsk(expectation);
}

/** How long the resolvers go on with what they have; and whether they have the right answer by now. */
function withWait({ verdict, pointsHere }: Judged, resolvers: readonly Judged[]): DnsCheck {
  if (verdict.code === 'verified') {
    const late = resolvers.filter((it) => isAnswer(it) && it.verdict.code !== 'verified');
    if (late.length === 0) return { verdict, pointsHere };
    const message = `${verdict.message} Some resolvers (${late.map(({ label }) => label).join(', ')}) still give the earlier answer; they follow within 48 hours, mostly sooner.`;
    return { verdict: { ...verdict, reason: 'propagating', message }, pointsHere };
  }
  const waits = resolvers
    .filter((it) => caseOf(it.verdict) === caseOf(verdict))
    .flatMap((it) => it.verdict.retryAfterSeconds ?? []);
  if (waits.length === 0) return { verdict, pointsHere };
  return { verdict: { ...verdict, retryAfterSeconds: Math.max(...waits) }, pointsHere };
}

function disagreement(zone: readonly Judged[], { hostname }: Expectation): DnsCheck {
  const right = zone.find(({ verdict }) => verdict.code === 'verified');
  const [first] = zone;
  return {
    verdict: {
      code: 'dns_error',
      reason: 'servers_disagree',
      message: `The name servers of the domain say different things about ${hostname}: ${zone
        .map(({ label, verdict }) => `${label}: ${verdict.message}`)
        .join(' ')}`,
      expected: (right ?? first)?.verdict.expected ?? '',
      found: zone.map(({ label, verdict }) => `${label}: ${verdict.found}`).join('; '),
      remedy: `Wait a few minutes until all of them have the newest version of the domain's records. If they still differ then, ask whoever runs them why some are behind; a name server of an earlier DNS provider has to be removed at the registrar.`,
      add: [],
      remove: [],
      retryAfterSeconds: null,
    },
    pointsHere: zone.some(({ pointsHere }) => pointsHere),
  };
}

/** Only where the machine itself knows no resolver. */
function nobodyToAsk({ hostname, target }: Expectation): DnsCheck {
  return {
    verdict: {
      code: 'dns_error',
      reason: 'no_resolver',
      message: `${hostname} cannot be looked up: this dashboard has no resolver to ask.`,
      expected: `${hostname} leads to ${target}`,
      found: 'nothing was asked',
      remedy: 'Whoever runs this dashboard has to set DNS_SERVERS to the address of a resolver.',
      add: [],
      remove: [],
      retryAfterSeconds: null,
    },
    pointsHere: false,
  };
}

function caseOf({ code, reason }: Verdict): string {
  return `${code} ${reason}`;
}

/** It said something about the name; others may be asked in the place of one that did not. */
function isAnswer({ verdict }: Judged): boolean {
  return !(verdict.code === 'dns_error' && verdict.reason in FAILURE_WORDS);
}
