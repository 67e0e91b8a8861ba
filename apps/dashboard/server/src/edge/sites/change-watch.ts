import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeLog } from '../log.ts';
import { withReadTimeout } from '../store-reads.ts';
import type { SiteSource } from './site-source.ts';

/**
 * From the beginning of one question to that of the next, in milliseconds. What changed just after one looked is
 * told by the next, and served after three reads more, of the site, its manifest and a content: within a second
 * where none of these four takes longer than 187 ms.
 */
const INTERVAL_MS = 250;

/** Waits after failures in a row, in milliseconds; the last goes on. Up to a quarter is added by chance. */
const RETRY_MS = [250, 500, 1_000] as const;

/**
 * Asks the store what changed, over and over, and has it forgotten, until the signal aborts.
 * Questions don't overlap, unless one is given up. The process may end while this waits.
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
      if (failures > 0) log.info('the store tells of changes again');
      failures = 0;
    } catch (error) {
      // Whoever closes the edge may close the store at the same time.
      if (signal.aborted) return;
      if (failures === 0) {
        log.warn(
          { err: error },
          'the store does not tell of changes; sites stay as they are known',
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
