import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Project } from '../../../server/src/projects/project.ts';
import { useProject } from '../projects/project-context.ts';
import { ProjectPage } from '../projects/project-page.tsx';
import { domainsQuery } from '../queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { count } from '../ui/format.ts';
import { Globe, Plus } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { DomainRow } from './domain-row.tsx';
import { ObstacleNotice, obstacleOf } from './obstacle.tsx';
import { RedirectCard } from './redirect-card.tsx';

export function DomainListPage() {
  const project = useProject();
  const query = useInfiniteQuery(domainsQuery(project.slug));
  // Kept here: the list with the button may be replaced while someone types a name.
  const [isAdding, setAdding] = useState(false);
  const domains = query.data;
  const obstacle = domains && obstacleOf(project, domains.length);
  const canAdd = domains !== undefined && obstacle === undefined;
  const add = canAdd && (
    <Button variant="primary" onClick={() => setAdding(true)}>
      <Plus />
      Add domain
    </Button>
  );
  return (
    <ProjectPage
      title="Domains"
      description="Host names of your own that show this project’s site."
      actions={domains && domains.length > 0 && add}
    >
      <AddDomainDialog openState={[isAdding, setAdding]} />
      <div className="grid gap-5">
        {obstacle && <ObstacleNotice obstacle={obstacle} />}
        <Card flush footer={domains && domains.length > 0 && inUse(project, domains.length)}>
          <ListView
            query={query}
            empty={
              <Empty icon={Globe} title="No domains yet" action={add}>
                Show this site at an address of your own, such as docs.example.com. You create one
                DNS record; the certificate comes by itself and is renewed by itself.
              </Empty>
            }
          >
            {(domain) => <DomainRow key={domain.hostname} domain={domain} />}
          </ListView>
          <LoadMore query={query}>Show more domains</LoadMore>
        </Card>
        {domains && domains.length > 0 && (
          <RedirectCard primary={domains.find(({ primary }) => primary)} />
        )}
      </div>
    </ProjectPage>
  );
}

/** How much of the plan's limit is used, where there is one. */
function inUse({ limits: { customDomains } }: Project, domains: number): string | undefined {
  if (customDomains === null || customDomains === 0) return undefined;
  return `${domains} of ${count(customDomains, 'domain')} of this plan in use.`;
}
