import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { projectQuery } from '../queries.ts';

/** Which project the page belongs to. */
export function ProjectCrumb() {
  const { slug } = useParams({ strict: false });
  return slug === undefined ? null : <Crumb slug={slug} />;
}

function Crumb({ slug }: { readonly slug: string }) {
  const { data } = useQuery(projectQuery(slug));
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 items-center gap-2.5">
      <span aria-hidden className="text-muted">
        /
      </span>
      <Link
        to="/projects/$slug"
        params={{ slug }}
        className="truncate rounded-sm font-medium hover:underline"
      >
        {data?.name ?? slug}
      </Link>
    </nav>
  );
}
