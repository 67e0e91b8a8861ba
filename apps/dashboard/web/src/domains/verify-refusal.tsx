import { messageOf } from '../api.ts';
import { Alert } from '../ui/alert.tsx';
import { Until } from '../ui/until.tsx';
import { type Verify, waitOf } from './verify.ts';

/** Why a check did not take place, and when the next one can. */
export function VerifyRefusal({ verify }: { readonly verify: Verify }) {
  const { error, submittedAt } = verify;
  if (!error) return null;
  const wait = waitOf(error);
  if (wait === undefined) return <Alert tone="negative">{messageOf(error)}</Alert>;
  // Not read out as it counts down: a toast has said it once.
  return (
    <Alert tone="warning">
      Verify was asked for too often. You can verify again{' '}
      <Until at={new Date(submittedAt + wait * 1_000).toISOString()} />; the DNS is checked by
      itself meanwhile.
    </Alert>
  );
}
