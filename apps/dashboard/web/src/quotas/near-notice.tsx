import type { ReactNode } from 'react';
import type { QuotaUse } from '../../../server/src/quotas/quota-use.ts';
import { Alert } from '../ui/alert.tsx';
import { count } from '../ui/format.ts';
import { amountText, standingOf } from './quota-words.ts';

interface NearNoticeProps {
  readonly uses: readonly QuotaUse[] | undefined;
  /** What to do, in a sentence. */
  readonly children: ReactNode;
}

/** Says which bounds are nearly reached, or are; nothing where none is. */
export function NearNotice({ uses = [], children }: NearNoticeProps) {
  const near = uses.filter((use) => standingOf(use) !== 'fine' && use.most !== 0);
  if (near.length === 0) return null;
  return (
    <Alert tone={near.some((use) => standingOf(use) === 'full') ? 'negative' : 'warning'}>
      {near.map((use) => (
        <p key={use.quota}>{sentenceOf(use)}</p>
      ))}
      <p>{children}</p>
    </Alert>
  );
}

function sentenceOf({ quota, unit, used, most }: QuotaUse): string {
  const allowed = amountText(unit, most ?? 0);
  switch (quota) {
    case 'bytes':
      return `This project holds ${amountText(unit, used)} of the ${allowed} that it may.`;
    case 'builds-per-hour':
      return `This project had ${count(used, 'deploy')} within the hour, and may have ${allowed}.`;
    case 'domains':
      return `This project has ${count(used, 'domain')}, and may have ${allowed}.`;
    case 'projects':
      return `You own ${count(used, 'project')}, and may own ${allowed}.`;
    case 'account-bytes':
      return `The projects that you own hold ${amountText(unit, used)} of the ${allowed} that they may together.`;
  }
}
