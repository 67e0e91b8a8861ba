import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance } from 'fastify';
import type { IdempotentResultStore } from '../store/contract/idempotency.ts';

/** How often results that have become too old are deleted, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

/** The most results that are deleted at once. It takes a few milliseconds, during which writes may wait. */
const GROUP = 500;

/** The pause between two such groups, in milliseconds. */
const PAUSE_MS = 20;

/** An owner's results are counted after this share of its limit in new writes: to count 100,000 takes some 10 ms. */
const COUNTED_EACH = 1 / 20;

interface RetentionDeps {
  readonly results: IdempotentResultStore;
  /** How long a result is kept, in milliseconds. */
  readonly keptMs: number;
  /** How many are kept for each owner, give or take a twentieth. */
  readonly perOwner: number;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Deletes results that are too old, once a minute while the app runs, and the oldest of an owner that has too many.
 * Every process of the service does so; what one of them deleted, the others do not find. Call the function that it
 * returns for each request with an Idempotency-Key.
 */
export function limitResults(
  app: FastifyInstance,
  { results, keptMs, perOwner, now, log }: RetentionDeps,
): (owner: string) => void {
  let isClosed = false;
  let underWay: Promise<void> | undefined;
  const inBackground = (work: () => Promise<void>) => {
    underWay ??= work()
      .catch((error) =>
        log.warn({ err: error }, 'old results of idempotent writes could not be deleted'),
      )
      .finally(() => {
        underWay = undefined;
      });
  };

  const inGroups = async (deleteGroup: () => Promise<number>) => {
    while (!isClosed && (await deleteGroup()) === GROUP) await sleep(PAUSE_MS);
  };
  const sweep = () => {
    const instant = new Date(now() - keptMs);
    return inGroups(() => results.deleteBefore(instant, GROUP));
  };
  const timer = setInterval(() => inBackground(sweep), SWEEP_INTERVAL_MS);
  timer.unref();
  app.addHook('onClose', async () => {
    isClosed = true;
    clearInterval(timer);
    await underWay;
  });

  const step = Math.ceil(perOwner * COUNTED_EACH);
  const written = new Map<string, number>();
  return (owner) => {
    const count = (written.get(owner) ?? 0) + 1;
    const isDue = count >= step && underWay === undefined;
    written.set(owner, isDue ? 0 : count);
    if (!isDue) return;
    inBackground(async () => {
      const place = await results.placeBeyond(owner, perOwner);
      if (place !== undefined) await inGroups(() => results.deleteUpTo(owner, place, GROUP));
    });
  };
}
