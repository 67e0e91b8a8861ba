import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import type { FastifyInstance } from 'fastify';
import type { SandboxRows } from '../store/contract/sandbox-rows.ts';
import { MAKER_WINDOW_MS } from './sandboxes-routes.ts';

/** How often the sandboxes that have ended are deleted, in milliseconds. Their keys are refused before that. */
const SWEEP_INTERVAL_MS = 60_000;

/** The most that are deleted at once. It takes a few milliseconds, during which writes may wait. */
const SWEEP_GROUP = 200;

/** The pause between two such groups, in milliseconds. */
const SWEEP_PAUSE_MS = 20;

interface SweepDeps {
  readonly sandboxes: SandboxRows;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

/** Deletes sandboxes that have ended, once a minute while the app runs. Every process of the service does so. */
export function sweepSandboxes(app: FastifyInstance, { sandboxes, now, log }: SweepDeps): void {
  let isClosed = false;
  let underWay: Promise<void> | undefined;
  const sweep = async () => {
    const at = now();
    const [instant, forget] = [new Date(at), new Date(at - MAKER_WINDOW_MS)];
    while (!isClosed && (await sandboxes.sweep(instant, forget, SWEEP_GROUP)) >= SWEEP_GROUP) {
      await sleep(SWEEP_PAUSE_MS);
    }
  };
  const timer = setInterval(() => {
    underWay ??= sweep()
      .catch((error) => log.warn({ err: error }, 'sandboxes that have ended could not be deleted'))
      .finally(() => {
        underWay = undefined;
      });
  }, SWEEP_INTERVAL_MS);
  timer.unref();
  app.addHook('onClose', async () => {
    isClosed = true;
    clearInterval(timer);
    await underWay;
  });
}
