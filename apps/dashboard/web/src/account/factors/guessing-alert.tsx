import { useQuery } from '@tanstack/react-query';
import { factorsQuery } from '../../queries/account.ts';
import { keys } from '../../queries/keys.ts';
import { deleteAt } from '../../query-client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Ago } from '../../ui/time.tsx';

/** Tells of somebody who knew the password, and did not know the codes. */
export function GuessingAlert() {
  const guessedAt = useQuery(factorsQuery).data?.guessedAt ?? null;
  if (guessedAt === null) return null;
  return (
    <Alert tone="negative">
      <div className="grid justify-items-start gap-2">
        <p>
          Somebody entered your password and then too many wrong codes, <Ago at={guessedAt} />. They
          did not get in. If it was not you, change your password.
        </p>
        <Button
          size="small"
          onClick={() =>
            void deleteAt('/account/factors/guessing', keys.factors, 'Warning dismissed.')
          }
        >
          Dismiss
        </Button>
      </div>
    </Alert>
  );
}
