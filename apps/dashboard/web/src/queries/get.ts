import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../server/src/schema-types.ts';
import { request } from '../api.ts';

// What the queries have in common. Each file beside has those of one area: every GET that a page sends to the API.

export const get =
  <T>(where: string) =>
  ({ signal }: { signal: AbortSignal }) =>
    request<T>('GET', where, undefined, signal);

/** A list that arrives as a whole, without the items that no page shows. */
export const list = <T>(
  queryKey: readonly string[],
  where: string,
  isShown: (item: T) => boolean = () => true,
) =>
  queryOptions({
    queryKey,
    queryFn: get<Page<T>>(where),
    select: ({ items }) => items.filter(isShown),
  });

/**
 * A list that arrives page by page, as one list of the items so far.
 *
 * @param interval - how often the pages so far are refetched, in milliseconds; false: not at all
 */
export const pagedList = <T>(
  queryKey: readonly string[],
  where: string,
  interval: (items: readonly T[]) => number | false = () => false,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      get<Page<T>>(pageParam ? withCursor(where, pageParam) : where)({
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    select: allItemsOf,
    refetchInterval: ({ state }) => interval(state.data ? allItemsOf(state.data) : []),
  });

function withCursor(where: string, cursor: string): string {
  return `${where}${where.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
}

function allItemsOf<T>({ pages }: InfiniteData<Page<T>>): readonly T[] {
  return pages.flatMap(({ items }) => items);
}

/** How often work under way is refetched. */
export const BUSY_INTERVAL_MS = 2_000;

/** How often deliveries are refetched that wait, for hours perhaps. */
export const WAITING_INTERVAL_MS = 5_000;
