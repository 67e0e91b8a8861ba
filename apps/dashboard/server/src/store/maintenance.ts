import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import { releaseSpace, removeUnreferenced } from './artifacts.ts';
import { removeOrphanedSources } from './deploy-sources.ts';
import type { OpenDatabase } from './open-database.ts';
import { pruneReservations } from './reserved-labels.ts';

/** How often what nothing refers to is looked for, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Between one part of the work and the next, in milliseconds: others come first. */
const PAUSE_MS = 20;

/** Removes, now and then, what nothing refers to any more, and what has ended. Ends with the function it returns. */
export function startMaintenance(
  database: OpenDatabase,
  now: () => number,
  log: Log,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      await pause(INTERVAL_MS, signal);
      await pruneDatabase(database, now, signal).catch((error) =>
        log.warn({ err: error }, 'what nothing refers to could not be removed'),
      );
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** Removes all that nothing refers to and reservations that have ended, and gives the space back, a part at a time, until the signal. */
export async function pruneDatabase(
  { db, engine }: OpenDatabase,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  await removeOrphanedSources(db, now());
  await pruneReservations(db, now());
  while (!signal.aborted && (await removeUnreferenced(db, now())) > 0)
    await pause(PAUSE_MS, signal);
  while (!signal.aborted && engine === 'sqlite' && (await releaseSpace(db))) {
    await pause(PAUSE_MS, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
