import { PLANS } from '../projects/project.ts';
import type { DoneSteps } from '../store/first-steps.ts';
import type { UserRow } from '../store/users.ts';
import type { FirstSteps } from './first-steps.ts';

/** What somebody has done of the first steps, and whether the list is still of use. */
export function presentFirstSteps(
  user: Pick<UserRow, 'role' | 'first_steps_hidden_at'>,
  { done, owned, isMember }: DoneSteps,
): FirstSteps {
  // Whoever owns the installation gives plans, and can have domains in any project.
  const hasDomains =
    user.role === 'owner' || owned.some(({ plan }) => PLANS[plan].customDomains !== 0);
  const steps = (['project', 'deploy', 'domain', 'invite'] as const)
    .filter((name) => name !== 'domain' || hasDomains || done.has('domain'))
    .map((name) => ({ name, done: done.has(name) }));
  const isTheirs = owned.length > 0 || !isMember;
  return {
    steps,
    project: owned[0]?.slug ?? null,
    shown: user.first_steps_hidden_at === null && isTheirs && steps.some((step) => !step.done),
  };
}
