import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import { CircleAlert, Info, TriangleAlert } from './icons.tsx';

const TONES = {
  neutral: { icon: Info, look: 'border-line bg-subtle text-ink' },
  warning: { icon: TriangleAlert, look: 'border-warning/25 bg-warning-soft text-warning' },
  negative: { icon: CircleAlert, look: 'border-negative/25 bg-negative-soft text-negative' },
} as const;

interface AlertProps {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}

/** A message to read before going on. A negative one is announced at once. */
export function Alert({ tone = 'neutral', children }: AlertProps) {
  const { icon: Icon, look } = TONES[tone];
  return (
    <div
      role={tone === 'negative' ? 'alert' : undefined}
      className={cx('flex gap-2.5 rounded-md border px-3 py-2.5', look)}
    >
      <Icon className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 break-words">{children}</div>
    </div>
  );
}
