import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { Check, Clock, LoaderCircle, X } from './icons.tsx';
import type { Step, StepStatus } from './step.ts';

const COLUMNS = { 3: 'sm:grid-cols-3', 5: 'sm:grid-cols-3 lg:grid-cols-5' } as const;

interface StepsProps {
  readonly label: string;
  readonly columns: keyof typeof COLUMNS;
  readonly steps: readonly Step[];
}

/** The progress of something, step by step. */
export function Steps({ label, columns, steps }: StepsProps) {
  return (
    <ol className={cx('grid gap-3', COLUMNS[columns])} aria-label={label}>
      {steps.map(({ name, status, note }) => (
        <li
          key={name}
          aria-current={status === 'running' || status === 'waiting' ? 'step' : undefined}
          className={cx(
            'flex items-center gap-3 rounded-lg border px-3.5 py-2.5',
            status === 'failed' ? 'border-negative/30 bg-negative-soft' : 'border-line bg-canvas',
            status === 'ahead' && 'text-muted',
          )}
        >
          <StepMark status={status} />
          <span className="min-w-0">
            <span className="block font-medium">
              {name}
              <span className="sr-only">: {status}</span>
            </span>
            <span
              className={cx(
                'block text-[0.8125rem]',
                status === 'failed' ? 'text-negative' : 'text-muted',
              )}
            >
              {note ?? 'Not yet'}
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

const MARKS: Record<StepStatus, { look: string; icon?: ReactNode }> = {
  done: { look: 'bg-positive-soft text-positive', icon: <Check /> },
  running: { look: 'bg-accent-soft text-accent', icon: <LoaderCircle className="animate-spin" /> },
  waiting: { look: 'bg-warning-soft text-warning', icon: <Clock /> },
  failed: { look: 'bg-negative-solid text-white', icon: <X /> },
  ahead: { look: 'border border-outline border-dashed' },
};

function StepMark({ status }: { readonly status: StepStatus }) {
  const { look, icon } = MARKS[status];
  return (
    <span
      className={cx('grid size-6 shrink-0 place-items-center rounded-full [&>svg]:size-3.5', look)}
    >
      {icon}
    </span>
  );
}
