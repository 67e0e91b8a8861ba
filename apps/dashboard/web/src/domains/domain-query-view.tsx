import { hasStatus } from '../api.ts';
import { NotFound } from '../ui/not-found.tsx';
import { QueryView, type QueryViewProps } from '../ui/query-view.tsx';
import { SkeletonPage } from '../ui/skeleton.tsx';

interface DomainQueryViewProps<T> extends Pick<QueryViewProps<T>, 'query' | 'children'> {
  readonly hostname: string;
}

/** A page of a domain, or a 404 where the project has no such domain. */
export function DomainQueryView<T>({ query, hostname, children }: DomainQueryViewProps<T>) {
  if (hasStatus(query.error, 404)) {
    return <NotFound title="No such domain">This project has no domain “{hostname}”.</NotFound>;
  }
  return (
    <QueryView query={query} skeleton={<SkeletonPage />}>
      {children}
    </QueryView>
  );
}
