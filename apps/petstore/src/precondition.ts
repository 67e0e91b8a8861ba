import { entityTag, matchesStrongly, matchesWeakly } from '@petstore/http/entity-tags.ts';
import { type Refusal, refusal } from './refusal.ts';

/**
 * The conditions of a request: the values of its `If-Match` and `If-None-Match` (RFC 9110, section 13.1). Plain data,
 * so that it can pass between threads.
 */
export interface Precondition {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * The condition that does not hold for this entity tag, evaluated in the order of RFC 9110, section 13.2.2; undefined
 * where both hold.
 */
export function failedCondition(
  { ifMatch, ifNoneMatch }: Precondition,
  etag: string,
): keyof Precondition | undefined {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, etag)) return 'ifMatch';
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag)) return 'ifNoneMatch';
  return undefined;
}

/** The refusal of a write whose conditions do not hold; undefined where they do. */
export function refuseByPrecondition(
  json: string,
  precondition: Precondition | undefined,
): Refusal | undefined {
  const failed = precondition && failedCondition(precondition, entityTag(json));
  return failed && refusal('precondition_failed', PRECONDITION_FAILED[failed]);
}

export const PRECONDITION_FAILED: Readonly<Record<keyof Precondition, string>> = {
  ifMatch: 'If-Match does not match the current ETag. Read it again first.',
  ifNoneMatch: 'If-None-Match matches the current ETag, so nothing was done.',
};
