import type { Log } from '@petstore/service/log.ts';
import { releaseSpace, removeUnreferenced } from './artifacts.ts';
import type { OpenDatabase } from './open-database.ts';

/** How often what nothing refers to is looked for, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Removes, now and then, what nothing refers to any more. Ends with the function it returns. */
export function startUpkeep(
  { db, engine }: OpenDatabase,
  now: () => number,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  const timer = setInterval(() => {
    running = running.then(async () => {
      try {
        while (!isStopped && (await removeUnreferenced(db, now())) > 0) {
          if (engine === 'sqlite') await releaseSpace(db);
        }
      } catch (error) {
        log.warn({ err: error }, 'what nothing refers to could not be removed');
      }
    });
  }, INTERVAL_MS);
  timer.unref();
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await running;
  };
}
