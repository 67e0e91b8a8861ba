import type { Config } from '../config.ts';

/** A pool has connections for reads and others for writes. */
const MIN_POOL_SIZE = 2;

/** One worker's share of the limits that the configuration sets for the whole service. */
export function shareOf(config: Config, workers: number): Config {
  const part = (whole: number) => Math.ceil(whole / workers);
  return {
    ...config,
    databasePoolSize: Math.max(MIN_POOL_SIZE, Math.floor(config.databasePoolSize / workers)),
    pageCacheBytes: Math.floor(config.pageCacheBytes / workers),
    maxConnections: part(config.maxConnections),
    maxRequestsInFlight: part(config.maxRequestsInFlight),
    maxQueuedWrites: part(config.maxQueuedWrites),
  };
}
