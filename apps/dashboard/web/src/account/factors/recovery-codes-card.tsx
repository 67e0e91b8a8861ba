import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RecoveryCodes } from '../../../../server/src/accounts/factors/factor.ts';
import { request } from '../../api.ts';
import { factorsQuery } from '../../queries/account.ts';
import { keys } from '../../queries/keys.ts';
import { queryClient } from '../../query-client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/form-dialog.tsx';
import { Ago } from '../../ui/time.tsx';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';

/** Fewer than these are a reason to make new ones. */
const FEW = 3;

/** What helps when passkeys and app are lost. Without either there are none. */
export function RecoveryCodesCard() {
  const codesLeft = useQuery(factorsQuery).data?.recoveryCodes ?? null;
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codesLeft === null) return null;
  const { left, createdAt } = codesLeft;
  const make = async () => {
    const made = await request<RecoveryCodes>('POST', '/account/recovery-codes');
    setCodes(made.codes);
    await queryClient.invalidateQueries({ queryKey: keys.factors });
  };
  return (
    <Card
      title="Recovery codes"
      description="Each signs in once after the password, when you have no passkey or app at hand."
      actions={
        <Confirm
          title="Make new recovery codes?"
          description="The codes that you have stop working."
          action="Make new codes"
          run={make}
          trigger={<Button size="small">Make new codes</Button>}
        />
      }
    >
      {left < FEW ? (
        <Alert tone="warning">
          {left === 0 ? 'None is left.' : `${left} of 10 ${left === 1 ? 'is' : 'are'} left.`} Make
          new ones, and keep them where you find them without your devices.
        </Alert>
      ) : (
        <p>
          {left} of 10 are left, made <Ago at={createdAt} />.
        </p>
      )}
      <NewRecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}
