import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Project } from '../../../server/src/projects/project.ts';
import { DeployState } from '../deploys/deploy-state.tsx';
import { ActivityCard } from '../home/activity-card.tsx';
import { FirstStepsCard } from '../home/first-steps-card.tsx';
import { projectsQuery } from '../queries/projects.ts';
import { Main } from '../shell/shell.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { Dot } from '../ui/dot.tsx';
import { Empty } from '../ui/empty.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { FolderPlus, ExternalLink as OpensIcon, Plus } from '../ui/icons.tsx';
import { ListView, LoadMore } from '../ui/list-view.tsx';
import { Page } from '../ui/page.tsx';
import { ROW_LINK } from '../ui/text-link.ts';
import { Ago } from '../ui/time.tsx';
import { PlanBadge } from './plan-badge.tsx';
import { hostOf } from './site-address.ts';

export function ProjectListPage() {
  const query = useInfiniteQuery(projectsQuery);
  const hasProjects = query.data !== undefined && query.data.length > 0;
  const create = (
    <Link to="/new" className={buttonClass('primary')}>
      <Plus />
      New project
    </Link>
  );
  return (
    <Main>
      <Page title="Projects" actions={query.data?.length !== 0 && create}>
        <div className="grid gap-5">
          <FirstStepsCard />
          <div
            className={cx(
              'grid items-start gap-5',
              hasProjects && 'lg:grid-cols-[minmax(0,1fr)_21rem]',
            )}
          >
            <Card flush>
              <ListView
                query={query}
                empty={
                  <Empty icon={FolderPlus} title="Create your first project" action={create}>
                    A project is one documentation site: give it a name, deploy an OpenAPI document
                    or a folder of guides, and it is online.
                  </Empty>
                }
              >
                {(project) => <ProjectRow key={project.slug} project={project} />}
              </ListView>
              <LoadMore query={query}>Show more projects</LoadMore>
            </Card>
            {hasProjects && <ActivityCard />}
          </div>
        </div>
      </Page>
    </Main>
  );
}

/** A project in the list. The whole row leads to it; the site's address is a link of its own. */
function ProjectRow({ project }: { readonly project: Project }) {
  const { slug, name, plan, url, live, latest } = project;
  return (
    <li className="relative grid gap-x-6 gap-y-2 px-4 py-4 transition-colors hover:bg-subtle/60 sm:grid-cols-[minmax(0,1fr)_auto] sm:px-5">
      <div className="min-w-0">
        <h2 className="flex min-w-0 items-center gap-2.5">
          <Link to="/projects/$slug" params={{ slug }} className={cx(ROW_LINK, 'font-semibold')}>
            {name}
          </Link>
          <PlanBadge plan={plan} />
        </h2>
        {live ? (
          <ExternalLink
            href={url}
            className="z-1 mt-0.5 inline-flex max-w-full items-center gap-1.5 rounded-sm text-muted hover:text-ink hover:underline"
          >
            <span className="truncate">{hostOf(url)}</span>
            <OpensIcon className="size-3.5 shrink-0" />
          </ExternalLink>
        ) : (
          <p className="mt-0.5 truncate text-muted">{hostOf(url)}</p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-[0.8125rem] sm:flex-col sm:items-end sm:justify-center">
        <span className="flex items-center gap-2">
          <Dot tone={live ? 'positive' : 'neutral'} />
          {live ? 'Live' : 'Not live yet'}
        </span>
        <span className="text-muted">
          {latest ? (
            <>
              {latest.state !== 'succeeded' && (
                <>
                  <DeployState state={latest.state} />{' '}
                </>
              )}
              {latest.state === 'succeeded' ? 'Deployed ' : ''}
              <Ago at={latest.createdAt} />
            </>
          ) : (
            'No deploys'
          )}
        </span>
      </div>
    </li>
  );
}
