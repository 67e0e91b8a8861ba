import type { ReactNode } from 'react';
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
