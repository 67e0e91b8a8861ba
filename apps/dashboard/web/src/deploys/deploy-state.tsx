import type { DeploySummary } from '../../../server/src/deploys/deploy.ts';
import { Dot, type DotTone } from '../ui/dot.tsx';

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
  const { tone, label } = STATES[state];
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <Dot tone={tone} />
      {label}
    </span>
  );
}
