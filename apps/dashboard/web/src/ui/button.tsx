import { Button as BaseButton } from '@base-ui/react/button';
import type { ComponentProps } from 'react';
import { cx } from './class-names.ts';
import { LoaderCircle } from './icons.tsx';

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger';
type Size = 'small' | 'medium';

const VARIANTS: Record<Variant, string> = {
  primary: 'border-transparent bg-ink text-on-ink hover:not-data-disabled:bg-ink/85',
  secondary: 'border-line bg-surface text-ink shadow-card hover:not-data-disabled:bg-subtle',
  ghost:
    'border-transparent text-muted hover:not-data-disabled:bg-subtle hover:not-data-disabled:text-ink',
  danger:
    'border-transparent bg-negative-solid text-white hover:not-data-disabled:bg-negative-solid/90',
};

const SIZES: Record<Size, string> = {
  small: 'h-8 gap-1.5 px-2.5 text-[0.8125rem]',
  medium: 'h-9 gap-2 px-3.5',
};

/** How a button looks, for links that look like one. */
export function buttonClass(variant: Variant = 'secondary', size: Size = 'medium', more?: string) {
  return cx(
    'inline-flex shrink-0 select-none items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors data-disabled:opacity-55',
    '[&>svg]:size-4 [&>svg]:shrink-0',
    VARIANTS[variant],
    SIZES[size],
    more,
  );
}

interface ButtonProps extends Omit<ComponentProps<typeof BaseButton>, 'className'> {
  readonly variant?: Variant;
  readonly size?: Size;
  /** Its work is not done yet: it stays in place, keeps the focus, and does nothing. */
  readonly pending?: boolean;
  readonly className?: string;
}

export function Button({
  variant = 'secondary',
  size = 'medium',
  pending = false,
  disabled = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={disabled || pending}
      focusableWhenDisabled={pending}
      aria-busy={pending || undefined}
      className={buttonClass(variant, size, className)}
    >
      {pending && <LoaderCircle className="animate-spin" />}
      {children}
    </BaseButton>
  );
}
