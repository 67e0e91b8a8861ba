import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { buttonClass } from '../../ui/button.tsx';

/** The ways to the rehearsal of a move and to its board, for a name that is proven and still leads elsewhere. */
export function MoveLinks({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const params = { slug, hostname: domain.hostname };
  return (
    <div className="flex flex-wrap gap-2">
      <Link
        to="/projects/$slug/settings/domains/$hostname/rehearsal"
        params={params}
        className={buttonClass()}
      >
        Rehearse the move
      </Link>
      <Link
        to="/projects/$slug/settings/domains/$hostname/move"
        params={params}
        className={buttonClass()}
      >
        Watch the move
      </Link>
    </div>
  );
}
