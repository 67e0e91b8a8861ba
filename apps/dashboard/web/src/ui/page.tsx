import type { ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  /** For the browser's tab, where it must say more than the heading. */
  readonly documentTitle?: string;
  readonly description?: ReactNode;
  /** Beside the title. */
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page's heading (level 1), its name in the browser's tab, and its content. */
export function Page({
  title,
  documentTitle = title,
  description,
  badges,
  actions,
  children,
}: PageProps) {
  return (
    <>
      <DocumentTitle>{documentTitle}</DocumentTitle>
      <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1
              data-page
              className="min-w-0 break-words font-semibold text-[1.375rem] leading-8 tracking-[-0.02em]"
            >
              {title}
            </h1>
            {badges}
          </div>
          {description && <div className="mt-0.5 text-muted">{description}</div>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2 empty:hidden">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function DocumentTitle({ children }: { readonly children: string }) {
  return <title>{`${children} · Dashboard`}</title>;
}
