import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { ApiError, hasStatus, request } from './api.ts';
import { keys } from './queries/keys.ts';
import { toast } from './ui/toasts.tsx';

const MAX_RETRIES = 2;

/** An ended session shows as a 401 to the next request: then nobody is signed in. */
function noticeEndOfSession(error: unknown) {
  if (hasStatus(error, 401)) queryClient.setQueryData(keys.session, null);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndOfSession }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      // A wrong password is a 401, too, where nobody is signed in, or stays so.
      if (mutation.meta?.signsIn !== true) noticeEndOfSession(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal would be repeated; only a failure may pass.
      retry: (failures, error) =>
        failures < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
});

/**
 * Shows what the response to a change says. A fetch that is under way may have read what was before the change, so its
 * result is dropped.
 */
export function showChanged<T>(queryKey: QueryKey, changed: T): void {
  void queryClient.cancelQueries({ queryKey, exact: true });
  queryClient.setQueryData<T>(queryKey, changed);
}

/** Deletes something by the API, fetches anew what showed it, and says so. */
export async function deleteAt(path: string, queryKey: QueryKey, said: string): Promise<void> {
  await request('DELETE', path);
  await queryClient.invalidateQueries({ queryKey });
  toast(said);
}
