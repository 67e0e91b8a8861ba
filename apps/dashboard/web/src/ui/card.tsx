import { type ReactNode, useId } from 'react';
import { cx } from './class-names.ts';

interface CardProps {
  readonly title?: string;
  readonly description?: ReactNode;
  /** Controls beside the title. */
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  readonly tone?: 'neutral' | 'negative';
  /** No padding around the content: for lists and tables that reach the edges. */
  readonly flush?: boolean;
  readonly children?: ReactNode;
}

/** A section of a page, with its heading (level 2). */
export function Card({
  title,
  description,
  actions,
  footer,
  tone = 'neutral',
  flush = false,
  children,
}: CardProps) {
  const id = useId();
  const border = tone === 'negative' ? 'border-negative/35' : 'border-line';
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={cx(
        'min-w-0 overflow-hidden wrap-break-word rounded-lg border bg-surface shadow-card',
        border,
      )}
    >
      {title !== undefined && (
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4 sm:px-5">
          <div className="min-w-0 flex-1 basis-48">
            <h2 id={id} className="font-semibold text-[0.9375rem] tracking-[-0.005em]">
              {title}
            </h2>
            {description && <p className="mt-0.5 max-w-prose text-muted">{description}</p>}
          </div>
          {actions}
        </div>
      )}
      <div
        className={cx(
          flush
            ? title === undefined
              ? undefined
              : 'mt-3.5 border-line border-t'
            : children
              ? 'px-4 py-4 sm:px-5'
              : 'pb-4',
        )}
      >
        {children}
      </div>
      {footer && (
        <div
          className={cx(
            'flex min-h-13 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t bg-canvas px-4 py-2 text-[0.8125rem] text-muted sm:px-5',
            border,
          )}
        >
          {footer}
        </div>
      )}
    </section>
  );
}
