import { type DotTone, StateInColour } from '../ui/dot.tsx';
import { exactDay } from '../ui/format.ts';
import type { ShownDomain } from './shown-domain.ts';

type State = ShownDomain['state'];

const STATES: Record<State, { tone: DotTone; label: string }> = {
  unverified: { tone: 'neutral', label: 'Unverified' },
  verified: { tone: 'accent', label: 'Verified' },
  active: { tone: 'positive', label: 'Active' },
};

const MOVED_AWAY = { tone: 'warning', label: 'Moved away' } as const;

type Standing = Pick<ShownDomain, 'state' | 'movedAwayAt'>;

/** That visitors do not come here matters more than that there is a certificate. */
function looksOf({ state, movedAwayAt }: Standing) {
  return movedAwayAt === null ? STATES[state] : MOVED_AWAY;
}

export function stateLabel(domain: Standing): string {
  return looksOf(domain).label;
}

export function DomainState({ domain }: { readonly domain: Standing }) {
  return <StateInColour {...looksOf(domain)} />;
}

/** What a domain waits for, or how long its certificate is valid, in a few words. */
export function standingOf(
  domain: Pick<ShownDomain, 'state' | 'verdict' | 'certificate' | 'issuance' | 'movedAwayAt'>,
): string {
  const { state, verdict, certificate, issuance, movedAwayAt } = domain;
  if (movedAwayAt !== null) return 'Its DNS no longer leads here';
  if (state === 'unverified') return verdict?.message ?? 'Its DNS has not been checked yet';
  if (certificate !== null) {
    const day = exactDay(certificate.notAfter);
    return state === 'active' ? `Certificate until ${day}` : `Its certificate ran out on ${day}`;
  }
  if (issuance?.isOverdue) return 'No certificate after 30 minutes';
  if (issuance?.problem) return 'The certificate authority has refused a certificate so far';
  return 'Its certificate is being issued';
}
