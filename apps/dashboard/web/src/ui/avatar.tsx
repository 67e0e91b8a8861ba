import { cx } from './class-names.ts';
import { initialsOf, toneOf } from './initials.ts';

// Whole names, by which the build finds the classes.
const TONES = [
  'bg-avatar-1 text-avatar-1-ink',
  'bg-avatar-2 text-avatar-2-ink',
  'bg-avatar-3 text-avatar-3-ink',
  'bg-avatar-4 text-avatar-4-ink',
  'bg-avatar-5 text-avatar-5-ink',
  'bg-avatar-6 text-avatar-6-ink',
  'bg-avatar-7 text-avatar-7-ink',
  'bg-avatar-8 text-avatar-8-ink',
] as const;

interface AvatarProps {
  readonly email: string;
  /** Without it, the initial is that of the address. */
  readonly name?: string;
  readonly size?: 'small' | 'medium' | 'large';
}

const SIZES = {
  small: 'size-6 text-[0.625rem]',
  medium: 'size-8 text-xs',
  large: 'size-12 text-base',
} as const;

/** A person's initials on a colour, the same wherever the address is. The name stands beside it, for all readers. */
export function Avatar({ email, name = email, size = 'medium' }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={cx(
        'grid shrink-0 select-none place-items-center rounded-full font-semibold',
        SIZES[size],
        TONES[toneOf(email, TONES.length)],
      )}
    >
      {initialsOf(name)}
    </span>
  );
}
