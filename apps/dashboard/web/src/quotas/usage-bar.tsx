import type { QuotaUse } from '../../../server/src/quotas/quota-use.ts';
import { cx } from '../ui/class-names.ts';
import { amountText, shareOf, standingOf } from './quota-words.ts';

const LOOKS = { fine: 'bg-accent', near: 'bg-warning', full: 'bg-negative' } as const;

interface UsageBarProps {
  readonly use: Pick<QuotaUse, 'unit' | 'used' | 'most'>;
}

/** How much is used, and of how much; with a bar where there is a bound. */
export function UsageBar({ use }: UsageBarProps) {
  const { unit, used, most } = use;
  const standing = standingOf(use);
  if (most === 0 && used === 0) return <p className="text-muted">None allowed</p>;
  const percent = Math.min(100, Math.round(shareOf(use) * 100));
  return (
    <div>
      <p className="tabular-nums">
        <span className="font-medium">{amountText(unit, used)}</span>
        <span className="text-muted">
          {most === null ? ' · no limit' : ` of ${amountText(unit, most)}`}
        </span>
      </p>
      {most !== null && (
        <div aria-hidden className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-line">
          <div
            className={cx('h-full rounded-full', LOOKS[standing])}
            style={{ width: `${used === 0 && most > 0 ? 0 : Math.max(2, percent)}%` }}
          />
        </div>
      )}
    </div>
  );
}
