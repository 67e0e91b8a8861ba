import { RecoveryCodeList } from '../../session/recovery-code-list.tsx';
import { useUser } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/form-dialog.tsx';

interface NewRecoveryCodesProps {
  /** null: there are none to show. */
  readonly codes: readonly string[] | null;
  readonly onClose: () => void;
}

/** Recovery codes in front of the page, until somebody says that they are saved: nothing else closes it. */
export function NewRecoveryCodes({ codes, onClose }: NewRecoveryCodesProps) {
  const { email } = useUser();
  return (
    <Dialog title="Save your recovery codes" open={codes !== null} onOpenChange={() => {}}>
      <div className="grid gap-5">
        <RecoveryCodeList codes={codes ?? []} email={email} />
        <Button variant="primary" onClick={onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  );
}
