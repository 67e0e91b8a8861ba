import { sql } from 'kysely';

/** Whether nobody has a lease of a row. */
export function isFree(now: number) {
  return sql<boolean>`(leased_until IS NULL OR leased_until <= ${now})`;
}
