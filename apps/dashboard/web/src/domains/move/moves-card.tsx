import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';

/** The ways to the pages of a move, and of leaving. */
export function MovesCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const params = { slug, hostname: domain.hostname };
  const isVerified = domain.state !== 'unverified';
  return (
    <Card
      title="Moving"
      description={
        isVerified
          ? 'Watch a change of the DNS record until everyone sees it, with the way back. Or take the name to another host: the whole site can be downloaded.'
          : 'Watch a change of the DNS record until everyone sees it, with the way back.'
      }
    >
      <div className="flex flex-wrap gap-2">
        <Link
          to="/projects/$slug/settings/domains/$hostname/move"
          params={params}
          className={buttonClass()}
        >
          Watch the move
        </Link>
        {isVerified && (
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
