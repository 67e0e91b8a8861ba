import { setTimeout as sleep } from 'node:timers/promises';
import { UnreachableError } from './acme/transport.ts';

/** How long is waited for an authority in one go, in milliseconds; the issuance is gone on with later. */
const PATIENCE_MS = 60_000;

/** The first wait, and the longest, in milliseconds, where the authority says nothing. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 3_000;

/**
 * Reads a resource until it is settled, at the pace that the authority asks for. Rejects with UnreachableError
 * (isTimeout) when that takes too long.
 */
export async function poll<T>(
  read: () => Promise<T>,
  isSettled: (resource: T) => boolean,
  pollAfter: (resource: T) => number | undefined,
  signal: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, LONGEST_WAIT_MS)) {
    const resource = await read();
    if (isSettled(resource)) return resource;
    const pause = pollAfter(resource) ?? wait;
    if (performance.now() + pause > deadline) {
      throw new UnreachableError('the authority has not come to an end yet', { isTimeout: true });
    }
    await sleep(pause, undefined, { signal });
  }
}
