import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@petstore/service/log.ts';
import { removeUnreferenced, vacuumStep } from './artifacts.ts';
import { forgetKeys } from './certificate-keys.ts';
import { forgetFound } from './ct-logs.ts';
import { removeOrphanedSources } from './deploy-sources.ts';
import { pruneBuilds } from './deploys.ts';
import { pruneRequests } from './domain-moves.ts';
import type { OpenDatabase } from './open-database.ts';
import { removeContentsOfGone } from './project-contents.ts';
import { pruneReservations } from './prune-reservations.ts';
import { pruneReaders } from './readers.ts';
import { pruneDeliveries } from './repository-deliveries.ts';

/** How often the maintenance runs, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** The pause between two parts of the work, in milliseconds: requests come first. */
const PAUSE_MS = 20;

/** Prunes the database now and then. The returned function stops it. */
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
        log.warn({ err: error }, 'the database could not be pruned'),
      );
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** Deletes unreferenced rows, expired reservations, builds and webhooks of long ago, and returns their space, part by part, until the signal. */
export async function pruneDatabase(
  { db, engine }: OpenDatabase,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  await removeOrphanedSources(db, now());
  await pruneReservations(db, now());
  await pruneBuilds(db, now());
  await pruneDeliveries(db, now());
  await pruneRequests(db, now());
  await pruneReaders(db, now());
  await forgetKeys(db, now());
  await forgetFound(db, now());
  while (!signal.aborted && (await removeContentsOfGone(db)) > 0) await pause(PAUSE_MS, signal);
  while (!signal.aborted && (await removeUnreferenced(db, now())) > 0)
    await pause(PAUSE_MS, signal);
  while (!signal.aborted && engine === 'sqlite' && (await vacuumStep(db))) {
    await pause(PAUSE_MS, signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}
