import { randomUUID } from 'node:crypto';
import type { Ending } from '@petstore/test-support/clean-up.ts';
import { addSandbox } from './sandboxes.ts';
import { type Service, startService } from './service.ts';

/** A service with a sandbox. */
export interface ServiceWithSandbox extends Service {
  /** The key of the sandbox. */
  readonly sandboxKey: string;
  /** A request with the sandbox's key; `path` starts behind `/v1`. */
  inSandbox(path: string, init?: RequestInit & { fault?: string }): Promise<Response>;
}

export async function startWithSandbox(
  t: Ending,
  options: Parameters<typeof startService>[1] & { readonly pets?: number } = {},
): Promise<ServiceWithSandbox> {
  const service = await startService(t, options);
  return { ...service, ...(await newSandbox(service, options.pets, options.now?.())) };
}

/** Another sandbox of a service. */
export async function newSandbox(
  { origin, store }: Pick<Service, 'origin' | 'store'>,
  pets = 3,
  now = Date.now(),
): Promise<Pick<ServiceWithSandbox, 'sandboxKey' | 'inSandbox'>> {
  const expiresAt = new Date(now + 3_600_000);
  const { key } = await addSandbox(store, { id: `sbx_${randomUUID()}`, seed: 7, pets, expiresAt });
  return {
    sandboxKey: key,
    inSandbox: (path, { fault, ...init } = {}) =>
      fetch(`${origin}/v1${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${key}`,
          ...(init.body !== undefined && { 'content-type': 'application/json' }),
          ...(fault !== undefined && { 'petstore-fault': fault }),
          ...init.headers,
        },
      }),
  };
}
