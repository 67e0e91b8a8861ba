import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../queries.ts';
import { Main } from '../shell/shell.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { FolderPlus, Plus } from '../ui/icons.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { Page } from '../ui/page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { ProjectRow } from './project-row.tsx';

export function ProjectListPage() {
  const query = useInfiniteQuery(projectsQuery);
  const isEmpty = query.data?.pages[0]?.items.length === 0;
  return (
    <Main>
      <Page
        title="Projects"
        actions={
          !isEmpty && (
            <Link to="/new" className={buttonClass('primary')}>
              <Plus aria-hidden />
              New project
            </Link>
          )
        }
      >
        <Card flush>
          <QueryView query={query}>
            {({ pages }) =>
              isEmpty ? (
                <Empty
                  icon={FolderPlus}
                  title="Create your first project"
                  action={
                    <Link to="/new" className={buttonClass('primary')}>
                      <Plus aria-hidden />
                      New project
                    </Link>
                  }
                >
                  A project is one documentation site: give it a name, deploy an OpenAPI document or
                  a folder of guides, and it is online.
                </Empty>
              ) : (
                <ul className="divide-y divide-line">
                  {pages
                    .flatMap(({ items }) => items)
                    .map((project) => (
                      <ProjectRow key={project.slug} project={project} />
                    ))}
                </ul>
              )
            }
          </QueryView>
          <LoadMore query={query}>Show more projects</LoadMore>
        </Card>
      </Page>
    </Main>
  );
}
