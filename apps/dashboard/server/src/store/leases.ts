import { sql } from 'kysely';

/** Whether a row is not leased. */
export function isFree(now: number) {
  return sql<boolean>`(leased_until IS NULL OR leased_until <= ${now})`;
}
