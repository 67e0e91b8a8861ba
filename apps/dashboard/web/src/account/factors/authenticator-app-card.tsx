import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AddedFactor } from '../../../../server/src/accounts/factors/factor.ts';
import { factorsQuery } from '../../queries/account.ts';
import { keys } from '../../queries/keys.ts';
import { deleteAt, queryClient } from '../../query-client.ts';
import { AppSetUp } from '../../session/app-set-up.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmedButton, Dialog } from '../../ui/form-dialog.tsx';
import { Plus } from '../../ui/icons.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';

/** The app whose codes are asked for after the password. */
export function AuthenticatorAppCard() {
  const { data } = useQuery(factorsQuery);
  const [isOpen, setOpen] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const app = data?.authenticatorApp ?? null;
  const done = ({ recoveryCodes }: AddedFactor) => {
    setOpen(false);
    setCodes(recoveryCodes);
    toast('The authenticator app is set up.');
    void queryClient.invalidateQueries({ queryKey: keys.factors });
  };
  return (
    <Card
      title="Authenticator app"
      description="Codes of six digits, which your phone shows, after the password."
      actions={
        <div className="flex gap-1">
          {app && (
            <ConfirmedButton
              title="Remove the authenticator app?"
              description="Its codes are no longer asked for, and no longer work."
              action="Remove"
              run={() =>
                deleteAt(
                  '/account/authenticator-app',
                  keys.factors,
                  'The authenticator app is removed.',
                )
              }
              label="Remove the authenticator app"
            />
          )}
          <Button size="small" onClick={() => setOpen(true)}>
            {app ? (
              'Replace'
            ) : (
              <>
                <Plus />
                Set up an app
              </>
            )}
          </Button>
        </div>
      }
    >
      {!app && <p className="text-muted">None yet.</p>}
      {app && (
        <p>
          Set up <Ago at={app.createdAt} />,{' '}
          {app.lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              used <Ago at={app.lastUsedAt} />
            </>
          )}
          .
        </p>
      )}
      <Dialog
        title={app ? 'Replace the authenticator app' : 'Set up an authenticator app'}
        description={
          app ? 'The codes of the earlier one stop working with the first new one.' : undefined
        }
        open={isOpen}
        onOpenChange={setOpen}
      >
        <AppSetUp<AddedFactor>
          path="/account/authenticator-app"
          method="PUT"
          action="Set up"
          onDone={done}
        />
      </Dialog>
      <NewRecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}
