import { entityTag, matchesStrongly, matchesWeakly } from '@petstore/http/entity-tags.ts';
import { type Refusal, refusal } from './refusal.ts';

/**
 * What a client says must be so of what it asks for, before anything is done: the values of its `If-Match` and
 * `If-None-Match` (RFC 9110, section 13.1). Plain data, so that it can pass between threads.
 */
export interface Precondition {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * Which of a client's conditions does not hold for what has this entity tag, in the order in which they are asked
 * (RFC 9110, section 13.2.2).
 */
export function failedCondition(
  { ifMatch, ifNoneMatch }: Precondition,
  etag: string,
): keyof Precondition | undefined {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) return 'ifMatch';
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag)) return 'ifNoneMatch';
  return undefined;
}

/** Why a write may not be done to what is here, if so. */
export function refuseByPrecondition(
  json: string,
  precondition: Precondition | undefined,
): Refusal | undefined {
  const failed = precondition && failedCondition(precondition, entityTag(json));
  return failed && refusal('precondition_failed', PRECONDITION_FAILED[failed]);
}

export const PRECONDITION_FAILED: Readonly<Record<keyof Precondition, string>> = {
  ifMatch: 'If-Match names something else than what is here now. Get it again, and decide anew.',
  ifNoneMatch: 'If-None-Match names what is here now, so nothing was done.',
};
