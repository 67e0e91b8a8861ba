import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';

/** The ways to the pages of a move: here, and away. */
export function MovesCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const params = { slug, hostname: domain.hostname };
  return (
    <Card
      title="Moving"
      description="Watch a change of the record until everyone sees it, with the way back. Leaving is as easy: everything comes along."
    >
      <div className="flex flex-wrap gap-2">
        <Link
          to="/projects/$slug/settings/domains/$hostname/move"
          params={params}
          className={buttonClass()}
        >
          Watch the move
        </Link>
        {domain.state !== 'unverified' && (
          <Link
            to="/projects/$slug/settings/domains/$hostname/leave"
            params={params}
            className={buttonClass()}
          >
            Move away
          </Link>
        )}
      </div>
    </Card>
  );
}
