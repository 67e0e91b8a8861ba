import { ApiError, messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Until } from '../ui/until.tsx';
import type { Verify } from './verify.ts';

/** Why a check did not take place, and when the next one can. */
export function VerifyRefusal({ verify }: { readonly verify: Verify }) {
  const { error, submittedAt } = verify;
  if (!error) return null;
  const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return (
    <Alert tone="negative">
      {messageOf(error)}
      {wait !== undefined && (
        <>
          {' '}
          You can verify again <Until at={new Date(submittedAt + wait * 1_000).toISOString()} />.
        </>
      )}
    </Alert>
  );
}
