import { instant } from '../schema-types.ts';
import type { RepositoryState, StateCode } from './repository-state.ts';

/** What is wrong with a repository or a branch, as the store has it, in JSON. */
export interface RepositoryProblem {
  readonly code: StateCode;
  readonly message: string;
  /** Since when, in milliseconds since 1970. */
  readonly since: number;
}

/** What to do about each. They do not repeat what is wrong. */
const REMEDIES: Partial<Record<StateCode, string>> = {
  unreachable: 'It is asked again by itself. See whether the host is up.',
  certificate:
    'The host needs a certificate of an authority that is trusted here. The operator can add one of your own (DASHBOARD_GIT_CA_FILE).',
  private_address:
    'Use an address of the internet, or ask the operator to allow private ones (DASHBOARD_GIT_PRIVATE_ADDRESSES).',
  redirected: 'Enter the new address.',
  authentication_failed: 'Then try again. Pushes are not deployed until then.',
  not_found: 'Hosts say the same of a private repository that the dashboard may not read.',
  host_key_changed:
    'Compare the fingerprint with the one that the host publishes. Accept the new key only if it is the same.',
  bad_repository: 'Check that the address is that of a Git repository, and ask again.',
  bad_url: 'Enter the address that the host shows for cloning.',
  empty_repository: 'Push a commit. It is deployed by itself.',
  branch_missing: 'Push it again, or choose another live branch. What is live stays.',
  branch_unusable: 'Rename the branch.',
  folder_missing: 'Correct the folder, or push a commit that has it.',
  folder_unusable: 'Correct the files and push again.',
  unsafe_path: 'Rename or remove that file, and push again.',
  too_large: 'Make the repository smaller, or ask the operator for more (DASHBOARD_GIT_MAX_BYTES).',
  too_many_files:
    'Remove files from the branch, or ask the operator for more (DASHBOARD_GIT_MAX_FILES).',
  too_many_branches: 'Delete merged branches, or switch previews off.',
  too_slow:
    'It is tried again by itself. If it repeats, make the repository smaller, or ask the operator for more time (DASHBOARD_GIT_SECONDS).',
  deploy_failed: 'Open the deploy, correct what it names, and push again. Or try it once more.',
  held: 'Put it live on its page. As long as something breaks, that takes an owner of the project.',
  previews_full: 'Delete a preview that is no longer needed, and try again.',
  queue_full: 'It is deployed by itself when those before it are built.',
  git_missing: 'Ask the operator to install git on this machine.',
  switched_off: 'Ask the operator to allow it (DASHBOARD_GIT), or deploy from your CI.',
  secret_unreadable: 'Enter the token again, or connect the repository anew for another key.',
  service_failed:
    'It is tried again by itself. If it repeats, ask the operator to look at the log.',
  webhook_bad_signature:
    'Enter the secret of the webhook at the host again, or make a new one and enter that.',
  status_refused:
    'Give the token the right to write commit statuses, or switch them off. Nothing else depends on it.',
  not_deployed: 'Its next commit is deployed, or deploy this one now.',
};

/** A state for people. `remedy` is about the code alone. */
export function stateOf(code: StateCode, message: string, since: number): RepositoryState {
  return { code, message, remedy: REMEDIES[code] ?? '', since: instant(since) };
}

/** A problem as responses have it. */
export function problemState({ code, message, since }: RepositoryProblem): RepositoryState {
  return stateOf(code, message, since);
}

/** A problem out of the store; null for none. */
export function readProblem(json: string | null): RepositoryProblem | null {
  return json === null ? null : (JSON.parse(json) as RepositoryProblem);
}

/** For the store. What was wrong before in the same words keeps its beginning. */
export function problemJson(
  { code, message }: Pick<RepositoryProblem, 'code' | 'message'>,
  at: number,
  before: string | null,
): string {
  const earlier = readProblem(before);
  const isSame = earlier?.code === code && earlier.message === message;
  const problem: RepositoryProblem = { code, message, since: isSame ? earlier.since : at };
  return JSON.stringify(problem);
}
