import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

interface ExternalLinkProps {
  readonly href: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** A link that opens a tab of its own, and says so to those who cannot see that. */
export function ExternalLink({ href, className, children }: ExternalLinkProps) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={cx('relative', className)}>
      {children}
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
