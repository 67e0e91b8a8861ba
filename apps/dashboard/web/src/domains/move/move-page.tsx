import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Domain } from '../../../../server/src/domains/domain.ts';
import type { DomainMove } from '../../../../server/src/domains/move/domain-move.ts';
import { ProjectPage } from '../../projects/project-context.tsx';
import { domainMoveQuery, domainQuery } from '../../queries/domains.ts';
import { Card } from '../../ui/card.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { SkeletonPage } from '../../ui/skeleton.tsx';
import { DomainQueryView } from '../domain-query-view.tsx';
import { AddressesCard } from './addresses-card.tsx';
import { MoveState } from './move-state.tsx';
import { ServersCard } from './servers-card.tsx';
import { ToDomain } from './to-domain.tsx';
import { TrafficBars } from './traffic-bars.tsx';
import { WayBackCard } from './way-back-card.tsx';

/** The move of a domain, watched: until every server and every address has the new one. */
export function MovePage() {
  const { slug, hostname } = useParams({
    from: '/signed-in/projects/$slug/settings/domains/$hostname/move',
  });
  const domain = useQuery(domainQuery(slug, hostname));
  const move = useQuery(domainMoveQuery(slug, hostname));
  return (
    <DomainQueryView query={domain} hostname={hostname}>
      {(shown) => (
        <>
          <ToDomain slug={slug} domain={shown} />
          <ProjectPage
            title={`Move of ${shown.unicode}`}
            description="Which host visitors reach, from the first changed name server to the last cache."
          >
            <QueryView query={move} skeleton={<SkeletonPage />}>
              {(seen) => <MoveView move={seen} domain={shown} />}
            </QueryView>
          </ProjectPage>
        </>
      )}
    </DomainQueryView>
  );
}

function MoveView({ move, domain }: { readonly move: DomainMove; readonly domain: Domain }) {
  const { traffic, wayBack, at } = move;
  const isAway = domain.movedAwayAt !== null;
  return (
    <div className="grid gap-5">
      <MoveState move={move} domain={domain} />
      <ServersCard move={move} isAway={isAway} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <AddressesCard move={move} />
        <Card
          title="Requests here"
          description="At all edges of this dashboard together, a rehearsal’s as well."
        >
          <TrafficBars traffic={traffic} at={Date.parse(at)} />
        </Card>
      </div>
      {wayBack && !isAway && (
        <WayBackCard
          wayBack={wayBack}
          isNow={move.state === 'before'}
          hasHsts={domain.hsts !== null}
        />
      )}
    </div>
  );
}
