import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactElement, ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly trigger?: ReactElement | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly children: ReactNode;
}

/** A dialog in front of the page. Escape and a click beside it close it, and the focus returns. */
export function Dialog({ title, description, trigger, open, onOpenChange, children }: DialogProps) {
  return (
    <BaseDialog.Root open={open} onOpenChange={(isOpen) => onOpenChange(isOpen)}>
      {trigger && <BaseDialog.Trigger render={trigger} />}
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-[#0008] transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <BaseDialog.Viewport className="fixed inset-0 z-40 grid place-items-center overflow-y-auto p-4">
          <BaseDialog.Popup className="w-full max-w-115 rounded-xl border border-line bg-surface p-5 shadow-float outline-none transition-all duration-150 data-ending-style:scale-97 data-starting-style:scale-97 data-ending-style:opacity-0 data-starting-style:opacity-0 sm:p-6">
            <BaseDialog.Title className="font-semibold text-base tracking-[-0.01em]">
              {title}
            </BaseDialog.Title>
            {description && (
              <BaseDialog.Description className="mt-1.5 text-muted" render={<div />}>
                {description}
              </BaseDialog.Description>
            )}
            <div className="mt-5">{children}</div>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>;
}

export const DialogClose = BaseDialog.Close;
