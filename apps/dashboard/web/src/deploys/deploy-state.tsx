import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { type DotTone, StateInColour } from '../ui/dot.tsx';

type State = DeploySummary['state'];

const STATES: Record<State, { tone: DotTone; label: string }> = {
  queued: { tone: 'neutral', label: 'Queued' },
  building: { tone: 'accent', label: 'Building' },
  succeeded: { tone: 'positive', label: 'Ready' },
  failed: { tone: 'negative', label: 'Failed' },
};

export function stateLabel(state: State): string {
  return STATES[state].label;
}

export function DeployState({ state }: { readonly state: State }) {
  return <StateInColour {...STATES[state]} />;
}
