import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance } from 'fastify';
import type { IdempotentResultStore } from '../store/contract/idempotency.ts';

/** How often results that have become too old are deleted, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;

/** The most results that are deleted at once. It takes a few milliseconds, during which writes may wait. */
const SWEEP_GROUP = 500;

/** The pause between two such groups, in milliseconds. */
const SWEEP_PAUSE_MS = 20;

/**
 * The results of an owner are counted after so many of its writes, at most: counting takes longer the more there are.
 * Then twice as many may be deleted, so that a bound that was lowered is reached.
 */
const MAX_WRITES_BETWEEN = 1_000;

interface RetentionDeps {
  readonly results: IdempotentResultStore;
  /** How long a result is kept, in milliseconds. */
  readonly keptMs: number;
  /** How many are kept for each owner, give or take a hundredth. */
  readonly perOwner: number;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Deletes results that are too old, once a minute while the app runs, and the oldest of an owner that has too many.
 * Every process of the service does so; what one of them deleted, the others do not find. Call the function that it
 * returns for each write that keeps a result.
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

  const sweep = async () => {
    const instant = new Date(now() - keptMs);
    while (!isClosed && (await results.deleteBefore(instant, SWEEP_GROUP)) === SWEEP_GROUP) {
      await sleep(SWEEP_PAUSE_MS);
    }
  };
  const timer = setInterval(() => inBackground(sweep), SWEEP_INTERVAL_MS);
  timer.unref();
  app.addHook('onClose', async () => {
    isClosed = true;
    clearInterval(timer);
    await underWay;
  });

  const step = Math.min(MAX_WRITES_BETWEEN, Math.ceil(perOwner / 100));
  const written = new Map<string, number>();
  return (owner) => {
    const count = (written.get(owner) ?? 0) + 1;
    const isDue = count >= step && underWay === undefined;
    written.set(owner, isDue ? 0 : count);
    if (!isDue) return;
    inBackground(async () => {
      await results.deleteBeyond(owner, perOwner, 2 * step);
    });
  };
}
