import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasStatus } from '../api.ts';
import { projectQuery } from '../queries/projects.ts';
import { Main } from '../shell/shell.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';
import { ProjectContext } from './project-context.tsx';

const TABS = [
  { to: '/projects/$slug', label: 'Overview', exact: true },
  { to: '/projects/$slug/deploys', label: 'Deploys', exact: false },
  { to: '/projects/$slug/readers', label: 'Readers', exact: false },
  { to: '/projects/$slug/settings', label: 'Settings', exact: false },
] as const;

/** The layout of a project's pages: their tabs, and the project itself as context. */
export function ProjectLayout() {
  const { slug } = useParams({ from: '/signed-in/projects/$slug' });
  const query = useQuery(projectQuery(slug));
  if (hasStatus(query.error, 404)) {
    return (
      <Main>
        <NotFound title="No such project">
          There is no project “{slug}” here, or you are not one of its members. Its owner can invite
          you.
        </NotFound>
      </Main>
    );
  }
  // The slug of the address is one that the project had before.
  if (query.data && query.data.slug !== slug) return <ToSlug slug={query.data.slug} />;
  return (
    <>
      <nav aria-label="Project" className="bg-surface">
        <ul className="mx-auto flex max-w-270 gap-1 overflow-x-auto px-2 sm:px-4">
          {TABS.map(({ to, label, exact }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ slug }}
                activeOptions={{ exact }}
                className="my-1.5 block rounded-md px-2 py-1.5 text-muted -outline-offset-2 transition-colors hover:bg-subtle hover:text-ink"
                activeProps={{
                  className:
                    'text-ink! font-medium relative after:absolute after:inset-x-2 after:-bottom-1.5 after:h-0.5 after:rounded-full after:bg-ink',
                }}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Main>
        <QueryView query={query} skeleton={<SkeletonPage />}>
          {(project) => (
            // What was typed for one project, or is sent to it, is not for the next one.
            <ProjectContext key={project.slug} value={project}>
              <Outlet />
            </ProjectContext>
          )}
        </QueryView>
      </Main>
    </>
  );
}

/** The same page of a project, by its present slug. */
function ToSlug({ slug }: { readonly slug: string }) {
  const { pathname, searchStr, hash } = useLocation();
  const { history } = useRouter();
  useEffect(() => {
    const rest = pathname.replace(/^\/projects\/[^/]+/, '');
    history.replace(
      `/projects/${encodeURIComponent(slug)}${rest}${searchStr}${hash && `#${hash}`}`,
    );
  }, [history, slug, pathname, searchStr, hash]);
  return null;
}
