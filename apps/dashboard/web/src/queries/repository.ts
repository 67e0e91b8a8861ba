import { queryOptions } from '@tanstack/react-query';
import type { Repository } from '../../../server/src/repositories/repository.ts';
import { hasStatus, path } from '../api.ts';
import { isAtWork } from '../repository/states.ts';
import { BUSY_INTERVAL_MS, get } from './get.ts';
import { keys } from './keys.ts';

/** How often a repository is refetched where nothing is under way: a push may arrive. */
const PUSH_INTERVAL_MS = 10_000;

/** The repository that a project is deployed from; null: none. Refetched in time to show a push. */
export const repositoryQuery = (slug: string) =>
  queryOptions({
    queryKey: keys.repository(slug),
    queryFn: async ({ signal }): Promise<Repository | null> => {
      try {
        return await get<Repository>(path`/projects/${slug}/repository`)({ signal });
      } catch (error) {
        if (hasStatus(error, 404)) return null;
        throw error;
      }
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false;
      const states = [data.state, ...data.branches.map(({ state }) => state)];
      return states.some(isAtWork) ? BUSY_INTERVAL_MS : PUSH_INTERVAL_MS;
    },
  });
