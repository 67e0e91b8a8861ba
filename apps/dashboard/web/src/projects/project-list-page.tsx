import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { projectsQuery } from '../queries.ts';
import { Main } from '../shell/shell.tsx';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { FolderPlus, Plus } from '../ui/icons.tsx';
import { ListView } from '../ui/list-view.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { Page } from '../ui/page.tsx';
import { ProjectRow } from './project-row.tsx';

export function ProjectListPage() {
  const query = useInfiniteQuery(projectsQuery);
  const create = (
    <Link to="/new" className={buttonClass('primary')}>
      <Plus />
      New project
    </Link>
  );
  return (
    <Main>
      <Page title="Projects" actions={query.data?.length !== 0 && create}>
        <Card flush>
          <ListView
            query={query}
            empty={
              <Empty icon={FolderPlus} title="Create your first project" action={create}>
                A project is one documentation site: give it a name, deploy an OpenAPI document or a
                folder of guides, and it is online.
              </Empty>
            }
          >
            {(project) => <ProjectRow key={project.slug} project={project} />}
          </ListView>
          <LoadMore query={query}>Show more projects</LoadMore>
        </Card>
      </Page>
    </Main>
  );
}
