import { monitorEventLoopDelay } from 'node:perf_hooks';

const ATTEMPTS = 5;

/**
 * The result of something, which is done again, up to five times, where it failed while this process stood still for
 * longer than so many milliseconds: what it serves or asks for is then late by the machine. Rejects with the last error.
 */
export async function despiteStandstill<T>(ms: number, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const delays = monitorEventLoopDelay();
    delays.enable();
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || delays.max / 1e6 <= ms) throw error;
    } finally {
      delays.disable();
    }
  }
}
