import { hasStatus } from '../api.ts';
import { pendingSignInQuery } from '../queries/account.ts';
import { queryClient } from '../query-client.ts';

/** Goes back to the beginning where the sign-in has ended meanwhile. */
export async function endIfOver(error: unknown, onEnded: () => void): Promise<void> {
  if (!hasStatus(error, 401)) return;
  const pending = await queryClient.fetchQuery({ ...pendingSignInQuery, staleTime: 0 });
  if (pending === null) onEnded();
}
