import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance } from 'fastify';
import type { EventLogs } from '../store/contract/event-logs.ts';
import { OWN_STORE } from '../store/own-store.ts';

/**
 * How often events that have become too old or too many are deleted, in milliseconds. On PostgreSQL those that wait for
 * their ids get them first, so the first reader after a long time has little to wait for.
 */
const SWEEP_INTERVAL_MS = 1_000;

/** The most groups that are deleted at once. It takes a few milliseconds, during which writes may wait. */
const SWEEP_GROUPS = 100;

/** The pause between two such pieces, in milliseconds. */
const SWEEP_PAUSE_MS = 20;

interface RetentionDeps {
  readonly logs: EventLogs;
  /** How long an event is kept, in milliseconds, unless there are more than `maxBytes` of newer ones. */
  readonly keptMs: number;
  readonly maxBytes: number;
  readonly log: Log;
}

/**
 * Deletes events that are too old or too many while the app runs. Every process of the service does so; what one of them
 * deleted, the others do not find.
 */
export function limitEvents(
  app: FastifyInstance,
  { logs, keptMs, maxBytes, log }: RetentionDeps,
): void {
  let isClosed = false;
  let isFailing = false;
  let underWay: Promise<void> | undefined;
  const sweep = async () => {
    const bounds = { before: new Date(Date.now() - keptMs), maxBytes };
    while (!isClosed && (await logs.sweep(OWN_STORE, bounds, SWEEP_GROUPS)) === SWEEP_GROUPS) {
      await sleep(SWEEP_PAUSE_MS);
    }
  };
  const timer = setInterval(() => {
    underWay ??= sweep()
      .then(
        () => {
          isFailing = false;
        },
        (error) => {
          // Told once, and not each second for as long as the database cannot be reached.
          if (!isFailing) log.warn({ err: error }, 'old events could not be deleted');
          isFailing = true;
        },
      )
      .finally(() => {
        underWay = undefined;
      });
  }, SWEEP_INTERVAL_MS).unref();
  app.addHook('onClose', async () => {
    isClosed = true;
    clearInterval(timer);
    await underWay;
  });
}
