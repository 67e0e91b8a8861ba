import { tokenBuckets } from '../token-buckets.ts';
import type { ProxyBounds } from './bounds.ts';
import { ProxyError } from './proxy-error.ts';

/** Whose request it is. */
interface Sender {
  readonly projectId: string;
  /** undefined: it is not counted. */
  readonly client: string | undefined;
}

interface Count {
  readonly key: string;
  readonly most: number;
  readonly mostBytes: number;
}

type Bounds = Pick<
  ProxyBounds,
  | 'clientRate'
  | 'projectRate'
  | 'ofClient'
  | 'ofProject'
  | 'ofAll'
  | 'heldOfClient'
  | 'heldOfProject'
  | 'heldBytes'
>;

/**
 * Bounds how many requests pass in a time and at once. The returned function takes a slot for one that holds so many
 * bytes, and returns how to free it, which may be called more than once. Throws ProxyError where there is none.
 */
export function requestSlots(bounds: Bounds, now: () => number = () => performance.now()) {
  const ofClients = tokenBuckets(bounds.clientRate, now);
  const ofProjects = tokenBuckets(bounds.projectRate, now);
  const taken = new Map<string, { count: number; bytes: number }>();
  const NONE = { count: 0, bytes: 0 };

  const add = (key: string, count: number, bytes: number) => {
    const before = taken.get(key) ?? NONE;
    const after = { count: before.count + count, bytes: before.bytes + bytes };
    if (after.count > 0) taken.set(key, after);
    else taken.delete(key);
  };

  return ({ projectId, client }: Sender, bytes: number): (() => void) => {
    const { ofClient, ofProject, ofAll, heldOfClient, heldOfProject, heldBytes } = bounds;
    const counted: readonly Count[] = [
      ...(client === undefined
        ? []
        : [{ key: `client ${client}`, most: ofClient, mostBytes: heldOfClient }]),
      { key: `project ${projectId}`, most: ofProject, mostBytes: heldOfProject },
      { key: 'all', most: ofAll, mostBytes: heldBytes },
    ];
    if (counted.some(({ key, most }) => (taken.get(key) ?? NONE).count >= most)) {
      throw new ProxyError(
        'unavailable',
        'Too many requests are passing through at once. Wait for one to end, and try again.',
      );
    }
    if (counted.some(({ key, mostBytes }) => (taken.get(key) ?? NONE).bytes + bytes > mostBytes))
      throw new ProxyError(
        'unavailable',
        'Too many large requests are passing through. Try again.',
      );
    const isWithinRates =
      (client === undefined || ofClients.take(client)) && ofProjects.take(projectId);
    if (!isWithinRates)
      throw new ProxyError(
        'rate_limited',
        'Too many requests in a short time. Wait a few seconds.',
      );

    for (const { key } of counted) add(key, 1, bytes);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const { key } of counted) add(key, -1, -bytes);
    };
  };
}
