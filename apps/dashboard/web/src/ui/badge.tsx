import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

const TONES = {
  neutral: 'bg-subtle text-muted border-line',
  accent: 'bg-accent-soft text-accent border-accent/20',
  positive: 'bg-positive-soft text-positive border-positive/20',
  warning: 'bg-warning-soft text-warning border-warning/20',
  negative: 'bg-negative-soft text-negative border-negative/20',
} as const;

interface BadgeProps {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded-full border px-2 font-medium text-xs',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
