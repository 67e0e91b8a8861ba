import { cx } from './class-names.ts';

const TONES = {
  neutral: 'bg-outline',
  accent: 'bg-accent animate-pulse-dot',
  positive: 'bg-positive-dot',
  warning: 'bg-warning',
  negative: 'bg-negative-solid',
} as const;

/** A state in a word, with its colour. */
export function StateInColour({ tone, label }: { readonly tone: DotTone; readonly label: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <Dot tone={tone} />
      {label}
    </span>
  );
}

export type DotTone = keyof typeof TONES;

/** A state's colour; its word is beside it. */
export function Dot({ tone }: { readonly tone: DotTone }) {
  return (
    <span aria-hidden className={cx('inline-block size-2 shrink-0 rounded-full', TONES[tone])} />
  );
}
