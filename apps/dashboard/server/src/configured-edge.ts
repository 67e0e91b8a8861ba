import { explainListenError } from '@petstore/service/listen.ts';
import type { Config } from './config.ts';
import { type Edge, type EdgeOptions, startEdge } from './edge/edge-server.ts';

/** An edge that serves over TLS, too. */
export type ConfiguredEdge = Edge & { readonly httpsPort: number };

/** Starts the edge on the configured ports. Rejects with UserError where it cannot listen. */
export async function startConfiguredEdge(
  { edge }: Config,
  options: Pick<EdgeOptions, 'source' | 'log'>,
): Promise<ConfiguredEdge> {
  const { host, httpPort, httpsPort, cacheBytes, tlsCacheHosts, connectionsPerAddress } = edge;
  const limits = { contentBytes: cacheBytes, contexts: tlsCacheHosts };
  try {
    const tls = { port: httpsPort };
    const started = await startEdge({
      ...options,
      ...{ host, port: httpPort, tls, limits, connectionsPerAddress },
    });
    return { ...started, httpsPort: started.httpsPort ?? httpsPort };
  } catch (error) {
    const { port = httpPort } = error as { port?: number };
    const portVariable = port === httpsPort ? 'EDGE_HTTPS_PORT' : 'EDGE_HTTP_PORT';
    throw explainListenError(error as NodeJS.ErrnoException, {
      ...{ host, port, hostVariable: 'EDGE_HOST', portVariable },
    });
  }
}
