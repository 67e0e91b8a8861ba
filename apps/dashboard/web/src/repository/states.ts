import type {
  RepositoryState,
  StateCode,
} from '../../../server/src/repositories/repository-state.ts';
import type { DotTone } from '../ui/dot.tsx';

/** Codes without a name here are problems. */
const STATES: Partial<Record<StateCode, { readonly tone: DotTone; readonly label: string }>> = {
  ok: { tone: 'positive', label: 'Up to date' },
  checking: { tone: 'accent', label: 'Asking the host' },
  fetching: { tone: 'accent', label: 'Fetching' },
  deploying: { tone: 'accent', label: 'Deploying' },
  held: { tone: 'warning', label: 'Held back' },
  not_deployed: { tone: 'neutral', label: 'Not deployed' },
  deploy_failed: { tone: 'negative', label: 'Deploy failed' },
  queue_full: { tone: 'warning', label: 'Waiting' },
  previews_full: { tone: 'warning', label: 'No room' },
  empty_repository: { tone: 'neutral', label: 'Empty' },
  switched_off: { tone: 'neutral', label: 'Switched off' },
};

export const stateLook = (code: StateCode) =>
  STATES[code] ?? ({ tone: 'negative', label: 'Needs attention' } as const);

/** Whether the dashboard is at work, so that the state changes soon. */
export const isAtWork = ({ code }: RepositoryState) => stateLook(code).tone === 'accent';

/** Whether somebody has to do something. */
export const isProblem = ({ code }: RepositoryState) =>
  ['warning', 'negative'].includes(stateLook(code).tone);
