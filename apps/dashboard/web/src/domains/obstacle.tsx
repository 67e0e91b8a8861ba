import { Link } from '@tanstack/react-router';
import type { Project } from '../../../server/src/projects/project.ts';
import { can, REASONS } from '../projects/permissions.ts';
import { useProject } from '../projects/project-context.tsx';
import { useUser } from '../session/session.ts';
import { Alert } from '../ui/alert.tsx';
import { count } from '../ui/format.ts';

type Obstacle = 'role' | 'plan' | 'deploy' | 'full';

/** What keeps someone from adding a domain, the first thing to mend first; the server checks the same. */
export function obstacleOf(project: Project, domains: number): Obstacle | undefined {
  const { limits, live } = project;
  if (!can(project, 'domain.manage')) return 'role';
  if (limits.customDomains === 0) return 'plan';
  if (live === null) return 'deploy';
  if (limits.customDomains !== null && domains >= limits.customDomains) return 'full';
  return undefined;
}

const LINK = 'rounded-sm font-medium underline underline-offset-3';

/** Why there is no button to add a domain, and what to do about it. */
export function ObstacleNotice({ obstacle }: { readonly obstacle: Obstacle }) {
  const { slug, plan, limits } = useProject();
  const { isInstallationOwner } = useUser();
  const planLink = (
    <Link to="/projects/$slug/settings/plan" params={{ slug }} className={LINK}>
      Plan
    </Link>
  );
  switch (obstacle) {
    case 'role':
      return <Alert>{REASONS['domain.manage']}</Alert>;
    case 'plan':
      return (
        <Alert tone="warning">
          <p className="font-medium">Custom domains need the plan Pro or above.</p>
          <p>
            This project is on <span className="capitalize">{plan}</span>.{' '}
            {isInstallationOwner ? (
              <>
                You own this installation: switch this project to Pro under {planLink}. Nothing is
                charged.
              </>
            ) : (
              <>Ask the owner of this installation to switch it to Pro. What Pro has: {planLink}.</>
            )}
          </p>
        </Alert>
      );
    case 'deploy':
      return (
        <Alert tone="warning">
          <p className="font-medium">A domain needs a site to show.</p>
          <p>
            Nothing of this project is live yet:{' '}
            <Link to="/projects/$slug" params={{ slug }} className={LINK}>
              deploy a document
            </Link>{' '}
            first, then add the domain here.
          </p>
        </Alert>
      );
    case 'full':
      return (
        <Alert tone="warning">
          <p className="font-medium">
            All {count(limits.customDomains ?? 0, 'domain')} of this plan are in use.
          </p>
          <p>
            Remove one that is no longer needed, or{' '}
            {isInstallationOwner
              ? 'switch this project to a larger plan under '
              : 'ask the owner of this installation for a larger plan. What each has: '}
            {planLink}.
          </p>
        </Alert>
      );
  }
}
