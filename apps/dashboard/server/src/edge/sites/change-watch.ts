import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeLog } from '../log.ts';
import { withReadTimeout } from '../store-reads.ts';
import type { SiteSource } from './site-source.ts';

/**
 * From the start of one poll to the start of the next, in milliseconds. A change just after a poll is seen by the next
 * one and served after three more reads, of the site, its manifest and a content: within a second where none of these
 * four takes longer than 187 ms.
 */
const INTERVAL_MS = 250;

/** Waits after consecutive failures, in milliseconds; the last one repeats. Up to a quarter of jitter is added. */
const RETRY_MS = [250, 500, 1_000] as const;

/**
 * Polls the store for changes and invalidates them, until the signal aborts. Polls do not overlap, unless one
 * times out. The wait does not keep the process alive.
 */
export async function watchChanges(
  source: SiteSource,
  /** Of all projects when there is no list. */
  invalidate: (projectIds: ReadonlySet<string> | undefined) => void,
  log: EdgeLog,
  signal: AbortSignal,
): Promise<void> {
  let known: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    let waitMs: number = INTERVAL_MS;
    try {
      const { position, projectIds } = await withReadTimeout(source.changesAfter(known));
      if (!projectIds) invalidate(undefined);
      else if (projectIds.length > 0) invalidate(new Set(projectIds));
      known = position;
      if (failures > 0) log.info('the store reports changes again');
      failures = 0;
    } catch (error) {
      // The edge is closing, and the store may be closed already.
      if (signal.aborted) return;
      if (failures === 0) {
        log.warn(
          { err: error },
          'the store cannot be polled for changes; the edge serves what it has in memory',
        );
      }
      const retryMs = RETRY_MS[failures] ?? RETRY_MS.at(-1) ?? INTERVAL_MS;
      waitMs = retryMs * (1 + Math.random() / 4);
      failures++;
    }
    const restMs = Math.max(0, waitMs - (performance.now() - begun));
    await sleep(restMs, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
