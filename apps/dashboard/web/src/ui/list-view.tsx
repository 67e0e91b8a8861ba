import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { QueryView, type QueryViewProps } from './query-view.tsx';

interface ListViewProps<T> {
  readonly query: QueryViewProps<readonly T[]>['query'];
  /** Shown instead of an empty list. */
  readonly empty?: ReactNode;
  /** An item's row, with its key. */
  readonly children: (item: T, all: readonly T[]) => ReactNode;
}

/** The result of a query, as rows from edge to edge: for a card that is `flush`. */
export function ListView<T>({ query, empty, children }: ListViewProps<T>) {
  return (
    <QueryView query={query}>
      {(items) =>
        items.length === 0 && empty ? (
          empty
        ) : (
          <ul className="divide-y divide-line">{items.map((item) => children(item, items))}</ul>
        )
      }
    </QueryView>
  );
}

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
