import type { ReactNode } from 'react';
import type { IconComponent } from './icons.tsx';

interface EmptyProps {
  readonly icon: IconComponent;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

/** An empty list, and what to do about it. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-1.5 px-4 py-12 text-center">
      <div className="mb-2 grid size-10 place-items-center rounded-lg border border-line bg-subtle">
        <Icon className="size-5 text-muted" />
      </div>
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-md text-muted">{children}</p>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  );
}
