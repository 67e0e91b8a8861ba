import { tokenBuckets } from '../token-buckets.ts';
import type { ProxyBounds } from './bounds.ts';
import { Refusal } from './refusal.ts';

/** Whose request it is. */
interface Sender {
  readonly projectId: string;
  /** undefined: it is not counted. */
  readonly client: string | undefined;
}

interface Count {
  readonly key: string;
  readonly most: number;
}

type Bounds = Pick<
  ProxyBounds,
  'clientRate' | 'projectRate' | 'ofClient' | 'ofProject' | 'ofAll' | 'heldBytes'
>;

/**
 * Bounds how many requests pass in a time and at once. The returned function takes a place for one that holds so many
 * bytes, and returns how to leave it, which may be called more than once. Throws Refusal where there is none.
 */
export function places(bounds: Bounds, now: () => number = () => performance.now()) {
  const isWithinClientRate = tokenBuckets(bounds.clientRate, now);
  const isWithinProjectRate = tokenBuckets(bounds.projectRate, now);
  const taken = new Map<string, number>();
  let held = 0;

  const add = (key: string, count: number) => {
    const sum = (taken.get(key) ?? 0) + count;
    if (sum > 0) taken.set(key, sum);
    else taken.delete(key);
  };

  return ({ projectId, client }: Sender, bytes: number): (() => void) => {
    const counted: readonly Count[] = [
      ...(client === undefined ? [] : [{ key: `client ${client}`, most: bounds.ofClient }]),
      { key: `project ${projectId}`, most: bounds.ofProject },
      { key: 'all', most: bounds.ofAll },
    ];
    if (counted.some(({ key, most }) => (taken.get(key) ?? 0) >= most)) {
      throw new Refusal(
        'unavailable',
        'Too many requests are passing through at once. Wait for one to end, and try again.',
      );
    }
    if (held + bytes > bounds.heldBytes)
      throw new Refusal('unavailable', 'Too many large requests are passing through. Try again.');
    const isWithinRates =
      (client === undefined || isWithinClientRate(client)) && isWithinProjectRate(projectId);
    if (!isWithinRates)
      throw new Refusal('rate_limited', 'Too many requests in a short time. Wait a few seconds.');

    for (const { key } of counted) add(key, 1);
    held += bytes;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const { key } of counted) add(key, -1);
      held -= bytes;
    };
  };
}
