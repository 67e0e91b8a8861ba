import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { ChevronLeft } from './icons.tsx';

/** The way back to what a page is part of. */
export const BackLink = createLink(({ children, ...rest }: ComponentProps<'a'>) => (
  <a
    {...rest}
    className="-ml-1 mb-2 inline-flex min-w-0 items-center gap-0.5 rounded-sm text-[0.8125rem] text-muted hover:text-ink"
  >
    <ChevronLeft className="size-4 shrink-0" />
    <span className="wrap-anywhere">{children}</span>
  </a>
));
