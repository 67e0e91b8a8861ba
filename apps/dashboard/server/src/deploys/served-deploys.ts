import type { DeployRow } from '../store/deploys.ts';

/** The deploys that this process is marking as succeeded, by id; resolved once its edge has forgotten what was before. */
const finishing = new Map<string, Promise<void>>();

/** Has `untilServed` wait for some work, which marks a deploy as succeeded and tells the edge of this process. */
export async function whileFinishing<T>(deployId: string, work: () => Promise<T>): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  finishing.set(deployId, promise);
  try {
    return await work();
  } finally {
    finishing.delete(deployId);
    resolve();
  }
}

/**
 * Waits until the edge of this process serves a deploy that was read as succeeded. PostgreSQL shows others what is
 * committed before it says so to the transaction itself, and the edge is told after that.
 */
export async function untilServed({ id, state }: Pick<DeployRow, 'id' | 'state'>): Promise<void> {
  if (state === 'succeeded') await finishing.get(id);
}
