import { formatBytes } from '@petstore/service/text.ts';
import { QUOTAS, type QuotaName } from '../../quotas/quota.ts';

/** `12`, `1.5 MB`, `unlimited`. A quota that a later version has is a number. */
export function amountInWords(quota: string, amount: number | null): string {
  if (amount === null) return 'unlimited';
  return QUOTAS[quota as QuotaName]?.unit === 'bytes' ? formatBytes(amount) : `${amount}`;
}
