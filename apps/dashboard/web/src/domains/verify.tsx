import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { ApiError, messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import { Until } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import type { ShownDomain } from './shown-domain.ts';

export type Verify = UseMutationResult<ShownDomain, Error, void>;

/**
 * Has a domain's DNS checked now.
 *
 * @param ask - sends the request, and caches the response
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

interface VerifyButtonProps {
  readonly verify: Verify;
  readonly label: string;
  readonly variant: 'primary' | 'secondary';
}

export function VerifyButton({ verify, label, variant }: VerifyButtonProps) {
  return (
    <Button
      size="small"
      variant={variant}
      pending={verify.isPending}
      onClick={() => verify.mutate()}
      className="print:hidden"
    >
      {!verify.isPending && <RefreshCw />}
      {label}
    </Button>
  );
}

/** Why a check was refused, and when the next one is possible. */
export function VerifyRefusal({ verify }: { readonly verify: Verify }) {
  const { error, submittedAt } = verify;
  if (!error) return null;
  const wait = waitOf(error);
  if (wait === undefined) return <Alert tone="negative">{messageOf(error)}</Alert>;
  // Not announced while it counts down: a toast has said it once.
  return (
    <Alert tone="warning">
      Verify was asked for too often. You can verify again{' '}
      <Until at={new Date(submittedAt + wait * 1_000).toISOString()} />; the DNS is checked by
      itself meanwhile.
    </Alert>
  );
}

/** How many seconds remain until Verify is allowed again. */
function waitOf(error: Error): number | undefined {
  return error instanceof ApiError ? error.retryAfterSeconds : undefined;
}
