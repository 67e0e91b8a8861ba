import type { Config } from '../config.ts';

/** A pool has connections that read, and others that write. */
const MIN_POOL_SIZE = 2;

/** What one of several workers may have of what the configuration bounds for the service. */
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
