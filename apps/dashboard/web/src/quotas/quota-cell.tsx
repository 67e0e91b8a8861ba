import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { amountsOf, readAmount } from '../../../server/src/quotas/amount.ts';
import type { QuotaName } from '../../../server/src/quotas/quota.ts';
import type { QuotaUse } from '../../../server/src/quotas/quota-use.ts';
import { path, request } from '../api.ts';
import { keys } from '../queries/keys.ts';
import { queryClient } from '../query-client.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { TextField } from '../ui/field.tsx';
import { Form, type FormValues, SubmitButton } from '../ui/form.tsx';
import { Pencil } from '../ui/icons.tsx';
import { toast } from '../ui/toasts.tsx';
import { typedAmount } from './quota-words.ts';

interface QuotaCellProps {
  readonly quota: QuotaName;
  readonly unit: QuotaUse['unit'];
  /** As the API has it: `plan:free`. */
  readonly target: string;
  readonly most: number | null;
  /** Whether it is set here, and not for somebody less specific. */
  readonly isSet: boolean;
  /** Above what is shown. */
  readonly label: ReactNode;
  /** The whole, for screen readers: `Storage of docs`. */
  readonly name: string;
  /** What is shown while it is not changed. */
  readonly children: ReactNode;
}

/** A quota that is changed where it stands. */
export function QuotaCell(props: QuotaCellProps) {
  const { label, name, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={cx('min-w-0', isOpen && 'col-span-full')}>
      {isOpen ? (
        <QuotaForm {...props} onClose={() => setOpen(false)} />
      ) : (
        <div className="flex items-start justify-between gap-1">
          <div className="min-w-0 flex-1">
            <div className="flex min-h-5 flex-wrap items-center gap-x-2 text-[0.8125rem] text-muted">
              {label}
            </div>
            {children}
          </div>
          <Button
            variant="ghost"
            size="small"
            className="-my-1 size-8 px-0!"
            aria-label={`Change: ${name}`}
            onClick={() => setOpen(true)}
          >
            <Pencil />
          </Button>
        </div>
      )}
    </div>
  );
}

function QuotaForm({
  quota,
  unit,
  target,
  most,
  isSet,
  name,
  onClose,
}: QuotaCellProps & { readonly onClose: () => void }) {
  const where = path`/installation/quotas/${quota}/${target}`;
  const done = async (said: string) => {
    await queryClient.invalidateQueries({ queryKey: keys.quotas });
    onClose();
    toast(said);
  };
  const change = useMutation({
    mutationFn: (values: FormValues) =>
      request('PUT', where, { most: readAmount(quota, values.most ?? '') ?? null }),
    onSuccess: () => done(`${name} is saved.`),
  });
  const unset = useMutation({
    mutationFn: (_values: FormValues) => request('DELETE', where),
    onSuccess: () => done(`${name} is not set any more.`),
  });
  const problem = (text: string) =>
    readAmount(quota, text) === undefined ? `Write ${amountsOf(quota)}.` : null;
  return (
    <Form
      mutation={unset.error ? { ...change, error: unset.error } : change}
      fields={['most']}
      className="grid max-w-115 gap-3"
    >
      <TextField
        name="most"
        label={name}
        defaultValue={typedAmount(unit, most)}
        validate={problem}
        hint={
          unit === 'bytes' ? 'Such as 500 MB or 2 GB; or unlimited.' : 'A number; or unlimited.'
        }
        autoComplete="off"
        autoFocus
        required
        onKeyDown={({ key }) => {
          if (key === 'Escape') onClose();
        }}
      />
      <div className="flex flex-wrap gap-2">
        <SubmitButton size="small" variant="primary">
          Save
        </SubmitButton>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        {isSet && (
          <Button
            size="small"
            variant="ghost"
            pending={unset.isPending}
            onClick={() => unset.mutate({})}
          >
            {target === 'everybody' ? 'Remove the limit' : 'Unset'}
          </Button>
        )}
      </div>
    </Form>
  );
}
