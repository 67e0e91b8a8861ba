import { type DotTone, StateInColour } from '../ui/dot.tsx';
import { exactDay } from '../ui/format.ts';
import { awaitsMove } from './preparation.ts';
import type { ShownDomain } from './shown-domain.ts';

type State = ShownDomain['state'];

const STATES: Record<State, { tone: DotTone; label: string }> = {
  unverified: { tone: 'neutral', label: 'Unverified' },
  verified: { tone: 'accent', label: 'Verified' },
  active: { tone: 'positive', label: 'Active' },
};

const PREPARED = { tone: 'accent', label: 'Prepared' } as const;
const READY = { tone: 'accent', label: 'Ready to move' } as const;
const MOVED_AWAY = { tone: 'warning', label: 'Moved away' } as const;

type Standing = Pick<
  ShownDomain,
  'state' | 'movedAwayAt' | 'prepare' | 'pointsHere' | 'isWildcard'
>;

/** That visitors do not come here matters more than that there is a certificate. */
function looksOf(domain: Standing) {
  if (domain.movedAwayAt !== null) return MOVED_AWAY;
  // Nothing moves to a wildcard.
  if (awaitsMove(domain)) return domain.state === 'active' && !domain.isWildcard ? READY : PREPARED;
  return STATES[domain.state];
}

export function stateLabel(domain: Standing): string {
  return looksOf(domain).label;
}

export function DomainState({ domain }: { readonly domain: Standing }) {
  return <StateInColour {...looksOf(domain)} />;
}

/** What a domain waits for, or how long its certificate is valid, in a few words. */
export function standingOf(
  domain: Standing & Pick<ShownDomain, 'verdict' | 'certificate' | 'issuance'>,
): string {
  const { state, verdict, certificate, issuance, movedAwayAt } = domain;
  if (movedAwayAt !== null) return 'Its DNS no longer leads here';
  if (state === 'unverified') return verdict?.message ?? 'Its DNS has not been checked yet';
  if (awaitsMove(domain) && state === 'active')
    return `Its certificate is here: now ${domain.isWildcard ? 'create' : 'change'} its DNS record`;
  if (certificate !== null) {
    const day = exactDay(certificate.notAfter);
    return state === 'active' ? `Certificate until ${day}` : `Its certificate ran out on ${day}`;
  }
  if (issuance?.isOverdue) return 'No certificate after 30 minutes';
  if (issuance?.problem) return 'The certificate authority has refused a certificate so far';
  return 'Its certificate is being issued';
}
