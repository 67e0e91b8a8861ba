import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './button.tsx';

interface LoadMoreProps {
  readonly query: Pick<
    UseInfiniteQueryResult,
    'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  readonly children: string;
}

/** The next page of a list, while there is one. */
export function LoadMore({ query, children }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="flex justify-center border-line border-t p-3">
      <Button
        size="small"
        pending={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {children}
      </Button>
    </div>
  );
}
