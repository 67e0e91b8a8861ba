import { Button } from '../ui/button.tsx';
import { RefreshCw } from '../ui/icons.tsx';
import type { Verify } from './verify.ts';

interface VerifyButtonProps {
  readonly verify: Verify;
  readonly label: string;
  readonly variant?: 'primary' | 'secondary';
}

export function VerifyButton({ verify, label, variant = 'primary' }: VerifyButtonProps) {
  return (
    <Button
      size="small"
      variant={variant}
      pending={verify.isPending}
      onClick={() => verify.mutate()}
      className="print:hidden"
    >
      {!verify.isPending && <RefreshCw aria-hidden />}
      {label}
    </Button>
  );
}
