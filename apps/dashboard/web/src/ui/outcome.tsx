import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import type { IconComponent } from './icons.tsx';

const LOOKS = {
  positive: 'bg-positive-soft text-positive',
  warning: 'bg-warning-soft text-warning',
  negative: 'bg-negative-soft text-negative',
} as const;

/** How a check ended, in short. */
export interface OutcomeKind {
  readonly icon: IconComponent;
  readonly look: keyof typeof LOOKS;
  readonly title: string;
}

interface OutcomeProps {
  readonly kind: OutcomeKind;
  /** What it means. */
  readonly children: ReactNode;
}

/** How a check ended, in a few words and a sentence. */
export function Outcome({ kind: { icon: Icon, look, title }, children }: OutcomeProps) {
  return (
    <div role="status" className="flex items-start gap-3">
      <span className={cx('grid size-8 shrink-0 place-items-center rounded-full', LOOKS[look])}>
        <Icon className="size-4.5" />
      </span>
      <div className="min-w-0 self-center">
        <p className="font-semibold">{title}</p>
        <p className="wrap-anywhere">{children}</p>
      </div>
    </div>
  );
}
