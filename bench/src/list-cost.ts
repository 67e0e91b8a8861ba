import { measureUse } from './edge-runs.ts';
import { runLoad } from './loads.ts';
import type { Running } from './service.ts';

export const LIST = '/v1/pets?limit=20';
export const CONNECTIONS = 32;

export interface Service extends Running {
  readonly key: string;
}

/** Processor time of the service for a list that it has in memory, in microseconds, over so many seconds of load. */
export async function listCost(
  { server, origin, key }: Service,
  seconds: number,
  core: number | undefined,
): Promise<number> {
  const load = { load: 'list', contender: { list: LIST, prefix: '/v1' }, seconds } as const;
  const where = { origin, key, connections: CONNECTIONS, core };
  const { result, cpuMs } = await measureUse(server, () => runLoad({ ...load, ...where }));
  return (cpuMs * 1_000) / result.requests;
}
