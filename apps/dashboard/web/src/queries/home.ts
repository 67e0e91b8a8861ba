import { queryOptions } from '@tanstack/react-query';
import type { AuditEntry } from '../../../server/src/audit/audit-entry.ts';
import type { FirstSteps } from '../../../server/src/home/first-steps.ts';
import type { SearchResults } from '../../../server/src/search/search.ts';
import { get, pagedList } from './get.ts';
import { keys } from './keys.ts';

/** Stale at once: each step may have been done on another page. */
export const firstStepsQuery = queryOptions({
  queryKey: keys.firstSteps,
  queryFn: get<FirstSteps>('/account/first-steps'),
  staleTime: 0,
});

/** The same: it is of what was done a moment ago. */
export const activityQuery = {
  ...pagedList<AuditEntry>(['activity'], '/activity'),
  staleTime: 0,
};

/** What of it is found for words; `slug`: a project whose deploys come first. */
export const searchQuery = (words: string, slug: string | undefined) =>
  queryOptions({
    queryKey: ['search', words, slug ?? null],
    queryFn: get<SearchResults>(
      `/search?${new URLSearchParams({ q: words, ...(slug !== undefined && { project: slug }) })}`,
    ),
  });
