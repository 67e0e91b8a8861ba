import { formatBytes } from '@petstore/service/text.ts';
import type { QuotaName } from '../../../server/src/quotas/quota.ts';
import type { QuotaUse } from '../../../server/src/quotas/quota-use.ts';

type Unit = QuotaUse['unit'];

/** What each quota is of, for people. */
export const QUOTA_WORDS: Record<QuotaName, { readonly label: string; readonly hint: string }> = {
  projects: { label: 'Projects', hint: 'That an account owns.' },
  'account-bytes': {
    label: 'Storage of all projects',
    hint: 'What the projects that an account owns hold together.',
  },
  bytes: { label: 'Storage', hint: 'What the kept deploys of a project hold, and its uploads.' },
  'builds-per-hour': { label: 'Deploys an hour', hint: 'Of a project.' },
  domains: { label: 'Domains', hint: 'Of a project. Plans have a number by themselves.' },
};

/** From here on people are told that they are near to a bound. */
const NEAR = 0.8;

/** `12`, `1.5 MB` */
export const amountText = (unit: Unit, amount: number) =>
  unit === 'bytes' ? formatBytes(amount) : amount.toLocaleString('en');

/** `12`, `1.5 MB`, `No limit` */
export const mostText = (unit: Unit, most: number | null) =>
  most === null ? 'No limit' : amountText(unit, most);

/** How much of what is allowed is used, from 0 on; 1 and more: all of it. 0 where there is no bound. */
export function shareOf({ used, most }: Pick<QuotaUse, 'used' | 'most'>): number {
  if (most === null) return 0;
  return most === 0 ? 1 : used / most;
}

export function standingOf(use: Pick<QuotaUse, 'used' | 'most'>): 'fine' | 'near' | 'full' {
  const share = shareOf(use);
  if (share >= 1) return 'full';
  return share >= NEAR ? 'near' : 'fine';
}

/** What is typed into a field to have this: `2 GB`, exact where it is no round number. */
export function typedAmount(unit: Unit, most: number | null): string {
  if (most === null) return 'unlimited';
  if (unit === 'count' || most === 0) return `${most}`;
  const units = ['', ' kB', ' MB', ' GB', ' TB'];
  // Three places behind the point are what a field takes.
  const power = units.findLastIndex(
    (_, at) => most >= 1000 ** at && most % 1000 ** Math.max(0, at - 1) === 0,
  );
  return `${most / 1000 ** power}${units[power]}`;
}
