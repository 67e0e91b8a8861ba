import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { DocumentTitle } from './page.tsx';

interface NotFoundProps {
  readonly title?: string;
  readonly children?: ReactNode;
}

export function NotFound({
  title = 'Page not found',
  children = 'Nothing is at this address. It may have been moved or deleted, or a letter is missing.',
}: NotFoundProps) {
  return (
    <div className="grid justify-items-center gap-2 py-20 text-center">
      <DocumentTitle>{title}</DocumentTitle>
      <p aria-hidden className="font-mono text-muted">
        404
      </p>
      <h1 className="font-semibold text-[1.375rem] leading-8 tracking-[-0.02em]">{title}</h1>
      <p className="max-w-md text-muted">{children}</p>
      <Link to="/" className={buttonClass('secondary', 'medium', 'mt-4')}>
        All projects
      </Link>
    </div>
  );
}
