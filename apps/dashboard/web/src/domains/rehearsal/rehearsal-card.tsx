import { Link } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import { useProject } from '../../projects/project-context.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';

/** Leads to the rehearsal of a move, for a domain that is prepared and not here. */
export function RehearsalCard({ domain }: { readonly domain: Domain }) {
  const { slug } = useProject();
  const { hostname, unicode, state, prepare, pointsHere } = domain;
  if (!prepare || pointsHere || state === 'unverified' || hostname.startsWith('*.')) return null;
  return (
    <Card
      title="Rehearse the move"
      description={`Compares the site that is at ${unicode} today with this one, and shows all that the move would change. Nothing happens to either.`}
      actions={
        <Link
          to="/projects/$slug/settings/domains/$hostname/rehearsal"
          params={{ slug, hostname }}
          className={buttonClass('secondary', 'small')}
        >
          Rehearse
        </Link>
      }
    />
  );
}
