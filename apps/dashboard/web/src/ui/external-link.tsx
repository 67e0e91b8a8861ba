import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { cx } from './class-names.ts';
import { ExternalLink as OpensIcon } from './icons.tsx';

interface ExternalLinkProps {
  readonly href: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A link that opens a new tab, and says so to those who cannot see that. */
export function ExternalLink({ href, className, children }: ExternalLinkProps) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={cx('relative', className)}>
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

interface ExternalButtonProps extends Omit<ExternalLinkProps, 'className'> {
  readonly variant?: 'primary' | 'secondary';
}

/** The same as a button, with the icon of such links. */
export function ExternalButton({ href, variant, children }: ExternalButtonProps) {
  return (
    <ExternalLink href={href} className={buttonClass(variant)}>
      {children}
      <OpensIcon />
    </ExternalLink>
  );
}
