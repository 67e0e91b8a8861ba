import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { ApiError, messageOf } from '../api.ts';
import { toast } from '../ui/toasts.tsx';
import type { ShownDomain } from './shown-domain.ts';

export type Verify = UseMutationResult<ShownDomain, Error, void>;

/**
 * Has a domain's DNS checked now.
 *
 * @param ask - asks the server, and keeps what it answers
 */
export function useVerify(ask: () => Promise<ShownDomain>): Verify {
  return useMutation({
    mutationFn: ask,
    onSuccess: ({ unicode, verdict }) =>
      verdict?.code === 'verified'
        ? toast(`The DNS of ${unicode} is right.`)
        : toast('Checked just now: the DNS is not right yet.', 'negative'),
    onError: (error) => {
      if (waitOf(error) !== undefined) toast(messageOf(error), 'negative');
    },
  });
}

/** For how many seconds Verify is not to be asked for, where it was too often. */
export function waitOf(error: Error): number | undefined {
  return error instanceof ApiError ? error.retryAfterSeconds : undefined;
}
