import type { ReactNode } from 'react';

interface SideNavProps {
  readonly label: string;
  readonly nav: ReactNode;
  readonly children: ReactNode;
}

/** A page with a list of its sections beside it, or above it on a telephone. */
export function SideNav({ label, nav, children }: SideNavProps) {
  return (
    <div className="grid gap-x-10 gap-y-5 md:grid-cols-[11rem_minmax(0,1fr)]">
      <nav aria-label={label}>
        <ul className="-mx-1 flex gap-0.5 max-md:flex-wrap md:sticky md:top-6 md:flex-col">
          {nav}
        </ul>
      </nav>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

export const SIDE_LINK =
  'block rounded-md px-2.5 py-1.5 text-muted transition-colors hover:bg-subtle hover:text-ink';
export const SIDE_LINK_ACTIVE = { className: 'bg-subtle text-ink! font-medium' };
