import { explainListenError } from '@petstore/service/listen.ts';
import type { Config } from './config.ts';
import { type Edge, type EdgeOptions, startEdge } from './edge/edge-server.ts';

/** Starts the edge where the configuration has it. Rejects with UserError where it cannot listen. */
export async function startConfiguredEdge(
  { edge }: Config,
  options: Omit<EdgeOptions, 'host' | 'port' | 'limits'>,
): Promise<Edge> {
  const { host, httpPort: port, cacheBytes } = edge;
  try {
    return await startEdge({ ...options, host, port, limits: { contentBytes: cacheBytes } });
  } catch (error) {
    const where = { host, port, hostVariable: 'EDGE_HOST', portVariable: 'EDGE_HTTP_PORT' };
    throw explainListenError(error as NodeJS.ErrnoException, where);
  }
}
