import { cx } from './class-names.ts';

/** A placeholder for content. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <div aria-hidden className={cx('animate-pulse rounded-md bg-line/70', className ?? 'h-4')} />
  );
}

const ROWS = ['first', 'second', 'third'];

/** A placeholder for a list. */
export function SkeletonRows() {
  return (
    <div role="status" aria-label="Loading" className="divide-y divide-line">
      {ROWS.map((row) => (
        <div key={row} className="flex items-center justify-between gap-6 px-4 py-4 sm:px-5">
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-40 max-w-full" />
            <Skeleton className="h-3 w-64 max-w-full" />
          </div>
          <Skeleton className="h-3 w-16" />
        </div>
      ))}
    </div>
  );
}

/** A placeholder for a page. */
export function SkeletonPage() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-5">
      <Skeleton className="h-7 w-48" />
      <Skeleton className="h-36" />
      <Skeleton className="h-52" />
    </div>
  );
}
