import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useProject } from '../projects/project-context.ts';
import { deployQuery } from '../queries.ts';
import { Alert } from '../ui/alert.tsx';
import { count } from '../ui/format.ts';

/** Says that a project's latest deploy failed, with a link to its problems. */
export function FailedDeploy({ id }: { readonly id: string }) {
  const { slug, live } = useProject();
  const { data } = useQuery(deployQuery(slug, id));
  if (data?.state !== 'failed') return null;
  return (
    <Alert tone="negative">
      <Link
        to="/projects/$slug/deploys/$id"
        params={{ slug, id }}
        className="rounded-sm font-medium underline underline-offset-3"
      >
        Deploy #{data.number} failed with {count(data.errors.length, 'problem')}
      </Link>
      . {live ? `Deploy #${live.number} stays live.` : 'Nothing is live yet.'}
    </Alert>
  );
}
