import { INT64_MAX, INT64_MIN } from '../int64.ts';
import type { PetSearch } from './contract/pet-store.ts';

/** The ids that a page may have, both ends included; undefined where there are none. */
export function idRange({ from, to, after }: Pick<PetSearch, 'from' | 'to' | 'after'>) {
  const next = after === undefined ? INT64_MIN : after + 1n;
  const first = from !== undefined && from > next ? from : next;
  const last = to ?? INT64_MAX;
  return first > last ? undefined : { first, last };
}
