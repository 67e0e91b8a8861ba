import { QUOTAS, type QuotaName } from './quota.ts';

/** The most that a quota may be: bytes are exact as numbers far beyond it. */
const MOST = { count: 999_999_999, bytes: 999_999_999_999_999 } as const;

const POWERS: Readonly<Record<string, number>> = {
  '': 0,
  b: 0,
  k: 1,
  kb: 1,
  m: 2,
  mb: 2,
  g: 3,
  gb: 3,
  t: 4,
  tb: 4,
};

export const mostOf = (quota: QuotaName): number => MOST[QUOTAS[quota].unit];

/**
 * Reads how much a quota allows: `40`; of bytes also `500 MB` or `1.5GB`, in units of 1000; `unlimited` is null.
 * undefined where it is none of these, or too much.
 */
export function readAmount(quota: QuotaName, text: string): number | null | undefined {
  const given = text.trim().toLowerCase();
  if (given === 'unlimited') return null;
  const [, digits = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?b?)$/.exec(given) ?? [];
  if (digits === '' || (QUOTAS[quota].unit === 'count' && (unit !== '' || digits.includes('.'))))
    return undefined;
  const [whole = '', part = ''] = digits.split('.');
  // In whole thousandths: 0.1 has no exact binary form.
  const thousandths = BigInt(whole + part.padEnd(3, '0')) * 1000n ** BigInt(POWERS[unit] ?? 0);
  if (thousandths % 1000n !== 0n || thousandths / 1000n > BigInt(mostOf(quota))) return undefined;
  return Number(thousandths / 1000n);
}

/** What `readAmount` takes, after “must be”. */
export function amountsOf(quota: QuotaName): string {
  return QUOTAS[quota].unit === 'bytes'
    ? 'a number of bytes, such as 500 MB or 1.5 GB, up to 999 TB, or unlimited'
    : `a number from 0 to ${mostOf(quota)}, or unlimited`;
}
